package dev.sparkwindowing.spark.plan

import dev.sparkwindowing.spark.advice.{Code, Face}

/** Checks that keyed inputs fit together in one operator. Run in the session of the inputs. */
private[plan] object TaggedUnionChecks {
  private type Named = (String, KeyedInput)

  def check(inputs: Seq[Named]): Unit = {
    val first = inputs.head
    checkNames(inputs)
    inputs.tail.foreach { other =>
      checkSource(first, other)
      checkKeys(first, other)
      checkMissingTime(first, other)
    }
    checkTimes(inputs)
  }

  private def checkNames(inputs: Seq[Named]): Unit = {
    val keys = if (inputs.head._2.hidesKeys) Nil else inputs.head._2.keys.map(_.name -> "a key")
    val time = inputs.head._2.eventTime.map(_ => ResultTime.EventTime -> "the event time")
    OutputNames.twice(keys ++ time ++ inputs.map(_._1 -> "an input"))(_._1).foreach {
      case ((name, one), (other, another)) =>
        throw new IllegalArgumentException(
          s"'$name'${OutputNames.also(name, other)} names $one and $another: give an input another name, " +
            s"$renamed, or a key by ${Code.function("col", Code.dots).as("..")}"
        )
    }
    inputs.foreach { case (name, input) =>
      OutputNames.twice(input.df.columns.toSeq)(identity).foreach { case (column, other) =>
        throw new IllegalArgumentException(
          s"the input '$name' has two columns '$column'${OutputNames.also(column, other)}, which would be one struct: give " +
            s"one of them another name before ${Code.keyBy}"
        )
      }
    }
  }

  private val renamed = Code {
    case Face.Scala => "join(a, b, \"click\", \"order\") or coGroup(\"click\" -> a, \"order\" -> b)"
    case _          => "join(a, b, names=(\"click\", \"order\")) or co_group(click=a, order=b)"
  }

  private def checkSource(first: Named, other: Named): Unit = {
    val (streams, static) = Seq(first, other).partition(_._2.df.isStreaming)
    if (streams.nonEmpty && static.nonEmpty)
      throw new IllegalArgumentException(
        s"'${streams.head._1}' is a stream and '${static.head._1}' is a static DataFrame: read both as streams, or join " +
          "the static one without windows, stream.join(static, \"key\")"
      )
  }

  private def checkKeys(first: Named, other: Named): Unit = {
    val ((name, input), (otherName, otherInput)) = (first, other)
    def shown(input: KeyedInput)                 =
      if (input.hidesKeys) "no key" else input.keys.map(k => s"'${k.name}' ${k.dataType.sql}").mkString(", ")
    if (input.hidesKeys != otherInput.hidesKeys || input.keys.size != otherInput.keys.size)
      throw new IllegalArgumentException(
        s"the inputs have different keys: '$name' has ${shown(input)}, '$otherName' has ${shown(otherInput)}. Give " +
          s"${Code.keyBy} the same number of keys for each"
      )
    input.keys
      .zip(otherInput.keys)
      .find { case (a, b) => a.dataType.catalogString != b.dataType.catalogString }
      .foreach { case (a, b) =>
        throw new IllegalArgumentException(
          s"the key '${a.name}' of '$name' is ${a.dataType.sql}, and '${b.name}' of '$otherName' is ${b.dataType.sql}: " +
            s"cast one, ${Code.keyBy}(.., ${Code.column(b.name).cast(a.dataType.catalogString).as(b.name)})"
        )
      }
  }

  private def checkMissingTime(first: Named, other: Named): Unit = {
    val ((name, input), (otherName, otherInput)) = (first, other)
    if (input.onMissingTime != otherInput.onMissingTime)
      throw new IllegalArgumentException(
        s"${Code.name("on_missing_time")} is '${input.onMissingTime.name}' for '$name' and '${otherInput.onMissingTime.name}' for " +
          s"'$otherName': give both the same"
      )
  }

  private def checkTimes(inputs: Seq[Named]): Unit = {
    val times = inputs.map { case (name, input) => name -> input.eventTime }
    difference(times.map { case (name, time) => name -> time.isDefined }).foreach { case (has, lacks) =>
      throw new IllegalArgumentException(
        s"'$has' has an event time and '$lacks' has none: name its column, ${Code.keyByTime("ts")}"
      )
    }
    if (inputs.head._2.df.isStreaming)
      difference(times.map { case (name, time) => name -> time.exists(_.hasWatermark) }).foreach { case (has, lacks) =>
        throw new IllegalArgumentException(
          s"'$has' has a watermark and '$lacks' has none, so its rows would never be late: " +
            WatermarkAdvice.missing(inputs.toMap.apply(lacks))
        )
      }
  }

  // The first input that has it and the first that lacks it, if there are both.
  private def difference(inputs: Seq[(String, Boolean)]): Option[(String, String)] =
    for {
      has   <- inputs.find(_._2)
      lacks <- inputs.find(!_._2)
    } yield (has._1, lacks._1)
}

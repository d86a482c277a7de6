package dev.sparkwindowing.spark.plan

import dev.sparkwindowing.spark.expressions.Columns
import org.apache.spark.sql.SparkWindowingBridge
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project, Union}
import org.apache.spark.sql.types.{MetadataBuilder, StructField, StructType, TimestampType}

/** Several keyed inputs as one, in the way of Flink's `CoGroupedStreams`: the keys under the names of the first input,
  * `event_time` if the inputs have one, and for each input a struct of its columns under its name. In each row the
  * struct of its own input is set, and the others are null.
  */
private[sparkwindowing] object TaggedUnion {

  /** @param inputs
    *   the inputs with their names, at least two
    * @throws java.lang.IllegalArgumentException
    *   if the inputs do not fit together: different keys, a stream and a static DataFrame, an event time or a watermark
    *   that only some have, a name twice
    */
  def of(inputs: Seq[(String, KeyedInput)]): KeyedInput = {
    val (_, first) = inputs.head
    SparkWindowingBridge.within(first.df.sparkSession) {
      TaggedUnionChecks.check(inputs)
      val time    = first.eventTime.map(_ => ResultTime.EventTime)
      val mixed   = inputs.flatMap(_._2.eventTime).map(_.times).distinct.size > 1
      val structs = inputs.map { case (name, input) => name -> structOf(input) }
      val plans   = inputs.indices.map(i => tagged(inputs(i)._2, first.keys.map(_.name), structs, i, mixed))
      val df      = SparkWindowingBridge.toDataFrame(first.df.sparkSession, Union(plans))
      val output  = SparkWindowingBridge.analyzedPlan(df).output
      new KeyedInput(
        df,
        output.take(first.keys.size),
        first.hidesKeys,
        time.map(_ => output(first.keys.size)),
        first.onMissingTime
      )
    }
  }

  /** The structs of the inputs, in their order, in a union. */
  def structs(union: KeyedInput): Seq[Attribute] = {
    val output = SparkWindowingBridge.analyzedPlan(union.df).output
    output.drop(union.keys.size + union.eventTime.size)
  }

  /** The inputs of a union by name, each with the projection that tags its rows; none for another plan. */
  def projections(union: LogicalPlan): Seq[(String, Project)] = union match {
    case Union(children, _, _) =>
      val names = union.output.filter(isTagged).map(_.name)
      if (names.size != children.size) Nil
      else
        names.zip(children).flatMap { case (name, child) =>
          child.collectFirst { case p: Project if p.projectList.count(isTagged) == names.size => name -> p }
        }
    case _ => Nil
  }

  private def isTagged(e: NamedExpression) = e.metadata.contains(Tag)

  private def tagged(
      input: KeyedInput,
      keys: Seq[String],
      structs: Seq[(String, StructType)],
      number: Int,
      mixed: Boolean
  ): LogicalPlan = {
    val plan = SparkWindowingBridge.analyzedPlan(input.df)
    val key  = input.keys.zip(keys).map { case (k, name) =>
      Alias(Columns.unnamed(k), name)(explicitMetadata = Some(InputLayout.Unmarked))
    }
    val time = input.eventTime.map { t =>
      val mark = if (plan.isStreaming && t.hasWatermark) InputLayout.Marked else AssignedTime
      // If times with and without a zone meet, those without get the session's zone, as in Spark's union.
      val value = if (mixed && t.times.dataType != TimestampType) new Cast(t.value, TimestampType, None) else t.value
      Alias(value, ResultTime.EventTime)(explicitMetadata = Some(mark))
    }
    val columns = structs.zipWithIndex.map { case ((name, struct), i) =>
      val value =
        if (i != number) Literal(null, struct)
        else
          CreateNamedStruct(
            plan.output.zip(struct).flatMap { case (a, f) => Seq(Literal(f.name), a.withMetadata(f.metadata)) }
          )
      Alias(value, name)(explicitMetadata = Some(Tagged))
    }
    Project(key ++ time ++ columns, plan)
  }

  private def structOf(input: KeyedInput): StructType = StructType(
    SparkWindowingBridge
      .analyzedPlan(input.df)
      .output
      .map(a => StructField(a.name, a.dataType, a.nullable, EventTimeMarks.removed(a.metadata)))
  )

  private val Tag = "spark_windowing.tagged_input"

  private val Tagged       = new MetadataBuilder().putBoolean(Tag, true).build()
  private val AssignedTime = new MetadataBuilder().putBoolean(EventTimeMarks.Assigned, true).build()
}

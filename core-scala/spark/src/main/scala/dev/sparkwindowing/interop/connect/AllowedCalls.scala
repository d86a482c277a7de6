package dev.sparkwindowing.interop.connect

import dev.sparkwindowing.interop.Parts
import dev.sparkwindowing.simulation.SimulationRun
import dev.sparkwindowing.spark.advice.Face
import dev.sparkwindowing.watermarks.WatermarkStrategy
import dev.sparkwindowing.{JoinedStreams, JoinedWindows, KeyedStream, SparkWindowing, WindowedStream}
import org.apache.spark.sql.Dataset

import java.lang.reflect.{InvocationTargetException, Method}

/** The methods that a message may call, by receiver. Everything else is refused before it runs. */
private[sparkwindowing] object AllowedCalls {

  private val settings = Seq(
    "allowStateChange",
    "allowedLateness",
    "collapseFirings",
    "evictor",
    "sideOutputLateData",
    "trigger",
    "withPane"
  )

  /** Names of methods by the class of the receiver. */
  val names: Seq[(Class[_], Set[String])] = Seq(
    SparkWindowing.getClass -> Set(
      "allOutputs",
      "assignTimestampsAndWatermarks",
      "coGroup",
      "explain",
      "inputNames",
      "inputSchema",
      "join",
      "keyBy",
      "make",
      "ofPythonFunction",
      "outputTags",
      "pythonFunctionId",
      "pythonFunctionSchema",
      "sideOutput",
      "simulate",
      "sparkLine",
      "stateOf",
      "unitedElements",
      "version",
      "windowAll",
      "windowColumns",
      "withClock"
    ),
    classOf[KeyedStream]    -> Set("countWindow", "process", "processByClass", "timeWindow", "window"),
    classOf[WindowedStream] ->
      (settings ++ Seq("compute", "max", "maxBy", "min", "minBy", "pythonFunction", "sum", "withRow")).toSet,
    classOf[JoinedStreams]     -> Set("window"),
    classOf[JoinedWindows]     -> (settings ++ Seq("full", "inner", "left", "right")).toSet,
    classOf[WatermarkStrategy] -> Set("withIdleness", "withMaxAheadOfClock", "withTimestampAssigner"),
    classOf[SimulationRun]     -> Set("everything")
  )

  /** Calls a method.
    *
    * @throws java.lang.IllegalArgumentException
    *   if the receiver has no such method that a message may call, or it takes other arguments
    */
  def call(receiver: AnyRef, method: String, arguments: Seq[AnyRef]): AnyRef = {
    val (of, allowed) = names
      .find(_._1.isInstance(receiver))
      .getOrElse(RecordedCalls.refuse(s"calls $method of ${className(receiver)}, which has no methods to call"))
    if (!allowed(method)) RecordedCalls.refuse(s"calls $method of ${shortName(of)}, which is not on the list")
    val (found, fitted) = of.getMethods.toSeq
      .filter(m => m.getName == method && m.getParameterCount == arguments.size && !m.isBridge)
      .map(m => m -> Parts.fit(m.getParameterTypes.toSeq, arguments))
      .find { case (m, values) => takes(m, values) }
      .getOrElse(
        RecordedCalls.refuse(
          s"calls $method of ${shortName(of)} with arguments that it does not take: " +
            arguments.map(className).mkString("(", ", ", ")")
        )
      )
    try Face.Python.use(found.invoke(receiver, fitted: _*))
    catch { case e: InvocationTargetException => throw e.getCause }
  }

  private def takes(method: Method, values: Seq[AnyRef]): Boolean =
    method.getParameterTypes.toSeq.zip(values).forall {
      case (parameter, _) if OfScala.contains(parameter) => false
      case (parameter, null)                             => !parameter.isPrimitive && parameter != classOf[Dataset[_]]
      case (parameter, value) if parameter.isPrimitive   => boxed(parameter).isInstance(value)
      case (parameter, value)                            => parameter.isInstance(value)
    }

  // Parameters of methods for Scala alone, for which null would do.
  private val OfScala = Set[Class[_]](classOf[Option[_]], classOf[Seq[_]])

  private def boxed(primitive: Class[_]): Class[_] =
    if (primitive == java.lang.Long.TYPE) classOf[java.lang.Long]
    else if (primitive == java.lang.Integer.TYPE) classOf[java.lang.Integer]
    else if (primitive == java.lang.Boolean.TYPE) classOf[java.lang.Boolean]
    else classOf[java.lang.Double]

  private def className(value: AnyRef): String = if (value == null) "null" else shortName(value.getClass)

  private def shortName(of: Class[_]): String = of.getName.split('.').last.stripSuffix("$")
}

package dev.sparkwindowing.interop

import dev.sparkwindowing.assigners.WindowAssigner
import dev.sparkwindowing.columns.RowParts
import dev.sparkwindowing.declaration.{FieldSpecs, Spec}
import dev.sparkwindowing.evictors.Evictor
import dev.sparkwindowing.functions.{AggregateFunction, KeyedProcessFunction, ReduceFunction}
import dev.sparkwindowing.triggers.Trigger
import org.apache.spark.sql.Row

import java.lang.reflect.InvocationTargetException

/** Parts and functions of classes in a user's jar, for callers without Scala. */
private[sparkwindowing] object ClassParts {

  /** The part or function that the constructor of a class returns. A checkpoint stores the class and the arguments.
    *
    * @param args
    *   numbers, strings, durations, other parts, and lists of these
    * @throws java.lang.IllegalArgumentException
    *   if there is no such class or constructor, or the class is no assigner, trigger, evictor or function
    */
  def make(className: String, args: java.util.List[Object]): Object = {
    val arguments = args.toArray.toSeq
    val spec      = FieldSpecs.ofCall(className, arguments)
    instance(loaded(className), arguments) match {
      case a: WindowAssigner[_] => RowParts.assigner(a.asInstanceOf[WindowAssigner[Row]], spec)
      case t: Trigger[_]        => RowParts.trigger(t.asInstanceOf[Trigger[Row]], spec)
      case e: Evictor[_]        => RowParts.evictor(e.asInstanceOf[Evictor[Row]], spec)
      case function @ (_: AggregateFunction | _: ReduceFunction | _: KeyedProcessFunction[_, _, _]) =>
        ClassFunction(function, spec)
      case other => other
    }
  }

  private val Kinds = Seq(
    classOf[WindowAssigner[_]],
    classOf[Trigger[_]],
    classOf[Evictor[_]],
    classOf[AggregateFunction],
    classOf[ReduceFunction],
    classOf[KeyedProcessFunction[_, _, _]]
  )

  // No code of a class runs, not even its static initializer, before its type is checked.
  private def loaded(className: String): Class[_] = {
    val found =
      try Class.forName(className, false, Thread.currentThread().getContextClassLoader)
      catch {
        case _: ClassNotFoundException =>
          throw new IllegalArgumentException(
            s"""there is no class $className: hand its jar to Spark, .config("spark.jars", "/path/to/your.jar")"""
          )
        case _: NoClassDefFoundError =>
          throw new IllegalArgumentException(
            s"$className was loaded before the jar of spark-windowing was there: give both to a new session, " +
              "sw.configure(SparkSession.builder.config(\"spark.jars\", \"/path/to/your.jar\")).getOrCreate()"
          )
      }
    if (!Kinds.exists(_.isAssignableFrom(found)))
      throw new IllegalArgumentException(
        s"$className is no ${Kinds.map(_.getSimpleName).mkString(", ").replace(", KeyedP", " or KeyedP")} of dev.sparkwindowing"
      )
    found
  }

  private def instance(found: Class[_], args: Seq[Object]): Object = {
    val constructor = found.getConstructors.find(_.getParameterCount == args.size).getOrElse {
      throw new IllegalArgumentException(s"${found.getName} has no public constructor with ${args.size} arguments")
    }
    try constructor.newInstance(Parts.fit(constructor.getParameterTypes.toSeq, args): _*).asInstanceOf[Object]
    catch {
      case e: InvocationTargetException => throw e.getCause
    }
  }

}

/** Function of a class in a user's jar, with the constructor call that created it. */
private[sparkwindowing] final case class ClassFunction(function: Object, spec: Spec)

private[sparkwindowing] object ClassFunction {

  /** The name of the class that the user wrote. */
  def className(function: Object): String = (function match {
    case ClassFunction(user, _) => user
    case other                  => other
  }).getClass.getName
}

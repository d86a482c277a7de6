package dev.sparkwindowing.conformance

import dev.sparkwindowing.conformance.FlinkFunctions.{In, Out, show}
import dev.sparkwindowing.conformance.FlinkTriggers.LastTimer
import dev.sparkwindowing.functions.JoinKind
import org.apache.flink.api.common.functions.{CoGroupFunction, JoinFunction}
import org.apache.flink.streaming.api.datastream.{CoGroupedStreams, JoinedStreams}
import org.apache.flink.streaming.api.functions.windowing.WindowFunction
import org.apache.flink.streaming.api.windowing.windows.Window
import org.apache.flink.util.{Collector, TaggedUnion}

import java.lang.{Iterable => JIterable, Long => JLong}
import scala.collection.mutable
import scala.jdk.CollectionConverters._

/** Flink's own window function behind `coGroup` and `join`, over elements that belong to the left input if their value
  * is even.
  */
final class FlinkJoin[W <: Window](kind: JoinKind, last: LastTimer) extends WindowFunction[In, Out, String, W] {
  private[this] val function = FlinkJoin.windowFunction[W](kind)

  def apply(key: String, window: W, elements: JIterable[In], out: Collector[Out]): Unit = {
    val pairs  = mutable.ArrayBuffer.empty[Long]
    val tagged = elements.asScala.map { in =>
      if (FlinkJoin.isLeft(in.f1)) TaggedUnion.one[JLong, JLong](in.f1) else TaggedUnion.two[JLong, JLong](in.f1)
    }
    function(key, window, tagged.asJava, new FlinkJoin.Into(pairs))
    out.collect(show(key, window, last, pairs))
  }
}

object FlinkJoin {
  type Pair = Array[Long]

  /** Stands for a partner that is missing. */
  val NoPartner = 0L

  def isLeft(value: JLong): Boolean = value % 2 == 0

  private final class Into(pairs: mutable.ArrayBuffer[Long]) extends Collector[Pair] {
    def collect(pair: Pair): Unit = pairs ++= pair
    def close(): Unit             = ()
  }

  private type Function[W <: Window] = (String, W, JIterable[TaggedUnion[JLong, JLong]], Collector[Pair]) => Unit

  private object Joined extends JoinFunction[JLong, JLong, Pair] {
    def join(left: JLong, right: JLong): Pair = Array(left, right)
  }

  // The outer joins as Flink's documentation writes them.
  private final class Outer(keepsLeft: Boolean, keepsRight: Boolean) extends CoGroupFunction[JLong, JLong, Pair] {
    def coGroup(lefts: JIterable[JLong], rights: JIterable[JLong], out: Collector[Pair]): Unit = {
      val (l, r) = (lefts.asScala.toSeq, rights.asScala.toSeq)
      for { left <- l; right <- r } out.collect(Array(left, right))
      if (keepsLeft && r.isEmpty) l.foreach(left => out.collect(Array(left, NoPartner)))
      if (keepsRight && l.isEmpty) r.foreach(right => out.collect(Array(NoPartner, right)))
    }
  }

  // Flink's classes are private: the ones that its coGroup and join put into the operator.
  private def windowFunction[W <: Window](kind: JoinKind): Function[W] = {
    val user: Object = kind match {
      case JoinKind.Inner => of(classOf[JoinedStreams[_, _]], "JoinCoGroupFunction", Joined)
      case JoinKind.Left  => new Outer(keepsLeft = true, keepsRight = false)
      case JoinKind.Right => new Outer(keepsLeft = false, keepsRight = true)
      case JoinKind.Full  => new Outer(keepsLeft = true, keepsRight = true)
    }
    of(classOf[CoGroupedStreams[_, _]], "CoGroupWindowFunction", user)
      .asInstanceOf[WindowFunction[TaggedUnion[JLong, JLong], Pair, String, W]](_, _, _, _)
  }

  private def of(outer: Class[_], name: String, function: Object): Object = {
    val made = outer.getDeclaredClasses.find(_.getSimpleName == name).get.getDeclaredConstructors.head
    made.setAccessible(true)
    made.newInstance(function).asInstanceOf[Object]
  }
}

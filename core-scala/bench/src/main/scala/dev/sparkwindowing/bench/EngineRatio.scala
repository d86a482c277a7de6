package dev.sparkwindowing.bench

import java.io.File
import java.net.{URL, URLClassLoader}
import scala.util.Random

/** Runs [[EngineBench]] of this checkout and of another in turn, in one JVM, and prints how fast this one is beside the
  * other. Both have their classes compiled.
  *
  * The compiler of a JVM does not make the same of the same classes each time, so both are loaded anew several times:
  * what is printed is the median of these pairs, and the least and the greatest of them. A pair counts with the median
  * of the ratios of its turns.
  *
  * Arguments: the directory of the other checkout, then optionally the number of pairs (default: 5), and a part of the
  * names of the works to run, as `tumblingSum 10`.
  */
object EngineRatio {

  private val WarmUp      = 20
  private val Turns       = 20
  private val TurnSeconds = 0.1
  private val Rows        = Seq(1, 10, 100)
  private val Works       = Seq("tumblingSum", "sessionSum")

  def main(args: Array[String]): Unit = {
    val pairs  = if (args.length > 1) args(1).toInt else 5
    val chosen = if (args.length > 2) args(2) else ""
    println("rows a second beside the other checkout: the median, the least and the greatest of the pairs")
    for (work <- Works; rows <- Rows if s"$work $rows".contains(chosen)) {
      val ratios = Seq.fill(pairs)(ratioOf(work, rows, new File(args(0)))).sorted
      println(f"$work%-12s $rows%4d rows a step: ${median(ratios)}%.3f (${ratios.head}%.3f to ${ratios.last}%.3f)")
    }
  }

  private def ratioOf(work: String, rows: Int, other: File): Double = {
    val now    = new Contestant(new File("."), rows, work)
    val before = new Contestant(other, rows, work)
    median(ratiosOf(now, before, WarmUp + Turns).drop(WarmUp).sorted)
  }

  // Who runs first changes by chance.
  private def ratiosOf(now: Contestant, before: Contestant, turns: Int): Seq[Double] = {
    val random = new Random(1)
    Seq.fill(turns) {
      if (random.nextBoolean()) {
        val first = now.roundsASecond(TurnSeconds)
        first / before.roundsASecond(TurnSeconds)
      } else {
        val first = before.roundsASecond(TurnSeconds)
        now.roundsASecond(TurnSeconds) / first
      }
    }
  }

  private def median(sorted: Seq[Double]): Double = sorted(sorted.size / 2)

  /** The benchmark of a checkout, by a class loader of its own. */
  private final class Contestant(checkout: File, rows: Int, work: String) {
    private[this] val bench = {
      val loaded = loaderOf(checkout).loadClass(classOf[EngineBench].getName)
      val bench  = loaded.getConstructor().newInstance().asInstanceOf[AnyRef]
      loaded.getMethod("rowsPerKeyAndBatch_$eq", Integer.TYPE).invoke(bench, Int.box(rows))
      loaded.getMethod("up").invoke(bench)
      bench
    }
    private[this] val round = bench.getClass.getMethod(work)

    def roundsASecond(seconds: Double): Double = {
      val start = System.nanoTime()
      var n     = 0
      while (System.nanoTime() - start < seconds * 1e9) {
        round.invoke(bench)
        n += 1
      }
      n * 1e9 / (System.nanoTime() - start)
    }
  }

  private def loaderOf(checkout: File): ClassLoader = {
    val own = Seq("bench", "engine").map(module => new File(checkout, s"core-scala/$module/target/scala-2.13/classes"))
    own.filterNot(_.isDirectory).foreach(missing => throw new IllegalArgumentException(s"no classes in $missing"))
    val libraries = sys.props("java.class.path").split(File.pathSeparatorChar).map(new File(_)).filter(_.isFile)
    new URLClassLoader((own ++ libraries).map(_.toURI.toURL).toArray[URL], ClassLoader.getPlatformClassLoader)
  }
}

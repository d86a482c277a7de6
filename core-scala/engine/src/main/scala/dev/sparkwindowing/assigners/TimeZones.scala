package dev.sparkwindowing.assigners

import java.time.{DateTimeException, ZoneId}
import java.util.Locale
import scala.jdk.CollectionConverters._

/** Time zones by id. */
private[assigners] object TimeZones {

  /** @param owner
    *   the factory that an error names
    * @param id
    *   a region such as `Europe/Berlin`, or an offset such as `+02:00`
    * @throws java.lang.IllegalArgumentException
    *   if there is no such time zone
    */
  def of(owner: String, id: String): ZoneId =
    try ZoneId.of(id)
    catch {
      case _: DateTimeException =>
        throw new IllegalArgumentException(
          s"$owner: time_zone '$id' is unknown. Similar ones are ${near(id).map(n => s"'$n'").mkString(", ")}; an offset " +
            "is written '+02:00'"
        )
    }

  // The three with the fewest changed letters, in the whole id or in its last part.
  private def near(id: String): Seq[String] = {
    val short = Option(ZoneId.SHORT_IDS.get(id)).toSeq
    val ids   = ZoneId.getAvailableZoneIds.asScala.toSeq.sorted
    (short ++ ids.sortBy(distance(id, _))).distinct.take(3)
  }

  private def distance(typed: String, id: String): Int = {
    val (a, b) = (typed.toLowerCase(Locale.ROOT), id.toLowerCase(Locale.ROOT))
    math.min(edits(a, b), edits(a, b.substring(b.lastIndexOf('/') + 1)))
  }

  // Levenshtein distance.
  private def edits(a: String, b: String): Int =
    b.foldLeft((0 to a.length).toVector) { (above, letter) =>
      a.indices.foldLeft(Vector(above.head + 1)) { (row, i) =>
        row :+ math.min(math.min(row(i), above(i + 1)) + 1, above(i) + (if (a(i) == letter) 0 else 1))
      }
    }.last
}

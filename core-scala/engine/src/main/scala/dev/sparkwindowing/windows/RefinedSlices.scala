package dev.sparkwindowing.windows

/** The time line cut wherever one of several grids cuts it: all times of a slice are in the same windows of each.
  *
  * @param grids
  *   at least one
  */
final case class RefinedSlices(grids: Seq[SliceGrid]) extends TimeSlices {
  private[this] val all = grids.toArray

  def sliceStart(time: Long): Long = {
    var latest = all(0).sliceStart(time)
    var i      = 1
    while (i < all.length) {
      latest = math.max(latest, all(i).sliceStart(time))
      i += 1
    }
    latest
  }

  def sliceEnd(time: Long): Long = {
    var earliest = all(0).sliceEnd(time)
    var i        = 1
    while (i < all.length) {
      earliest = math.min(earliest, all(i).sliceEnd(time))
      i += 1
    }
    earliest
  }

  def overlaps: Boolean = grids.size > 1 || grids.exists(_.overlaps)

  /** The grids that suffice for the same slices: without those that cut only where another cuts. */
  def needed: RefinedSlices = {
    val first = grids.distinct
    RefinedSlices(first.filterNot(g => first.exists(other => (other ne g) && RefinedSlices.cutsAsOften(other, g))))
  }
}

object RefinedSlices {

  // True if `fine` cuts wherever `coarse` does.
  private def cutsAsOften(fine: SliceGrid, coarse: SliceGrid): Boolean = (cutsOf(fine), cutsOf(coarse)) match {
    case (Some((step, offset)), Some((coarser, other))) =>
      coarser > step && coarser % step == 0 && Math.floorMod(Math.subtractExact(other, offset), step) == 0
    case _ => false
  }

  // Distance and shift of the cuts, if all are equally far apart.
  private def cutsOf(grid: SliceGrid): Option[(Long, Long)] = grid match {
    case SlidingSlices(size, slide, offset) if size % slide == 0 => Some(slide -> offset)
    case CumulativeSlices(_, step, offset) => Some(step -> offset)
    case _                                 => None
  }
}

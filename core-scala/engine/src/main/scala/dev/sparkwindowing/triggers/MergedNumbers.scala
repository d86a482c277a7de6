package dev.sparkwindowing.triggers

/** Summaries of the numbers of merged windows. */
private[triggers] object MergedNumbers {

  /** The minimum of number `i` over the windows that have it. */
  def least(i: Int, ctx: OnMergeContext): Option[Long] =
    (0 until ctx.mergedWindows).filter(ctx.mergedHasNumber(_, i)).map(ctx.mergedNumber(_, i)).reduceOption(_ min _)

  /** True if any of the windows has number `i`. */
  def any(i: Int, ctx: OnMergeContext): Boolean = (0 until ctx.mergedWindows).exists(ctx.mergedHasNumber(_, i))
}

package dev.sparkwindowing.spark.checkpoint

import org.apache.hadoop.fs.FileStatus

import scala.util.Try

/** Files of a checkpoint that are named with a number, e.g. after a micro-batch. */
private[spark] object Numbered {

  /** The numbers, in no order; without files of other names. */
  def in(files: Array[FileStatus]): Seq[Long] = files.toSeq.flatMap(f => Try(f.getPath.getName.toLong).toOption)
}

package dev.sparkwindowing.spark.checkpoint

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, Path}

import scala.util.Try

/** Numbers of the files of a checkpoint that are named with one, e.g. after a micro-batch, in no order. Files of other
  * names are left out.
  */
private[spark] object Numbered {

  /** Those of a folder; none if it does not exist. */
  def in(folder: Path, conf: Configuration): Seq[Long] = {
    val files = folder.getFileSystem(conf)
    if (files.exists(folder)) in(files.listStatus(folder)) else Nil
  }

  def in(files: Array[FileStatus]): Seq[Long] = files.toSeq.flatMap(f => Try(f.getPath.getName.toLong).toOption)
}

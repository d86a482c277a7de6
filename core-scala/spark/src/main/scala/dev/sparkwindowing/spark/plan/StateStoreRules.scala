package dev.sparkwindowing.spark.plan

import dev.sparkwindowing.operator.{KeyedPlan, Stored}
import dev.sparkwindowing.pieces.PieceSizes
import dev.sparkwindowing.spark.computations.ContentsFormat
import org.apache.spark.sql.internal.SQLConf

/** What the state store of a query is known to do.
  *
  * @param pieces
  *   sizes of the pieces of a key; None if the store may not keep the bytes of a key's row as they are, so that a piece
  *   could not be told from its key
  * @param isSorted
  *   whether it gives its rows in the order of the bytes of their keys
  * @param writesChanges
  *   whether a micro-batch that changes one row writes that row, and not files that hold others too
  */
private[sparkwindowing] final case class StateStoreRules(
    pieces: Option[PieceSizes],
    isSorted: Boolean,
    writesChanges: Boolean
) {

  /** Text for `explain` of what is stored for a key. */
  def text(program: WindowProgram): String = (program.plan, pieces) match {
    case (_, None) => "a row for each key, since the state store may change the bytes of keys"
    case (_: KeyedPlan.Process[_], Some(sizes)) =>
      s"a row for each key; state of a name beyond ${shown(sizes.tail)} in pieces"
    case (plan, Some(sizes)) =>
      val list = plan match {
        case _: KeyedPlan.Over[_] => "an event time"
        case _                    => "a window"
      }
      val keepsRows = plan.stored == Stored.ContentsAndElements || program.keptContents == ContentsFormat.Rows
      Seq(
        "a row for each key",
        s"windows beyond ${shown(sizes.windows)} in pages of ${shown(sizes.page)}"
      ).mkString("; ") +
        (if (keepsRows) s"; rows of $list beyond ${shown(sizes.tail)} in pieces of ${shown(sizes.chunk)}" else "")
  }

  private[this] def shown(bytes: Int) = if (bytes % 1024 == 0) s"${bytes / 1024} KiB" else s"$bytes bytes"
}

private[sparkwindowing] object StateStoreRules {

  /** Settings of the session: numbers of bytes, also as `64k`. */
  val TailSetting    = "spark.windowing.state.tailBytes"
  val ChunkSetting   = "spark.windowing.state.chunkBytes"
  val WindowsSetting = "spark.windowing.state.windowsBytes"
  val PageSetting    = "spark.windowing.state.pageBytes"

  /** The settings of the sizes of pieces. */
  val SizeSettings: Seq[String] = Seq(TailSetting, ChunkSetting, WindowsSetting, PageSetting)

  private val Package   = "org.apache.spark.sql.execution.streaming.state"
  private val RocksDb   = s"$Package.RocksDBStateStoreProvider"
  private val HdfsBased = s"$Package.HDFSBackedStateStoreProvider"

  private val Changelog = "spark.sql.streaming.stateStore.rocksdb.changelogCheckpointing.enabled"

  /** Tells whether a state store is one that Spark brings. */
  def isOfSpark(provider: String): Boolean = provider == RocksDb || provider == HdfsBased

  /** Those of the store that the active session has. */
  def ofSession: StateStoreRules = of(SQLConf.get)

  /** Those of a store with these settings. The sizes are those of the active session. */
  def of(conf: SQLConf): StateStoreRules = {
    val provider = conf.stateStoreProviderClass
    // Spark 4 only. Another encoding than this writes a key by its columns.
    val isRaw =
      conf.getConfString("spark.sql.streaming.stateStore.encodingFormat", "unsaferow").equalsIgnoreCase("unsaferow")
    StateStoreRules(
      if (isRaw && isOfSpark(provider)) Some(sizes) else None,
      isSorted = provider == RocksDb,
      writesChanges = provider != RocksDb || conf.getConfString(Changelog, "false").equalsIgnoreCase("true")
    )
  }

  private def sizes: PieceSizes = {
    val usual = PieceSizes.Default
    PieceSizes(
      tail = size(TailSetting, usual.tail, example = "64k"),
      chunk = size(ChunkSetting, usual.chunk, example = "256k"),
      windows = size(WindowsSetting, usual.windows, example = "64k"),
      page = size(PageSetting, usual.page, example = "8k")
    )
  }

  private def size(setting: String, usual: Int, example: String): Int =
    StateLimits.bytes(setting, usual.toLong, MaxPiece, example = example).toInt

  // A piece is in memory several times while it is read or written.
  private val MaxPiece = 64L << 20
}

package dev.sparkwindowing.spark.portable

import dev.sparkwindowing.declaration.PartSpec
import dev.sparkwindowing.operator.StateCell
import dev.sparkwindowing.spark.checkpoint.SpecJson

import java.nio.ByteBuffer
import java.nio.charset.StandardCharsets.UTF_8
import java.security.MessageDigest

/** State of a key as the portable operator stores it: a header, then the block.
  *
  * @param specification
  *   fingerprint of the query that wrote it
  * @param watermark
  *   the engine's watermark when it was written
  * @param timer
  *   the earliest timer of the query's clock, `StateCell.NoTimer` for none
  */
private[spark] final class PortableState(
    val specification: Long,
    val watermark: Long,
    val timer: Long,
    val block: Array[Byte]
)

private[spark] object PortableState {
  private val Version: Byte = 1
  private val HeaderSize    = 1 + 3 * 8

  /** The state of a key without any. */
  def none(specification: Long): PortableState =
    new PortableState(specification, Long.MinValue, StateCell.NoTimer, null)

  def write(state: PortableState): Array[Byte] = ByteBuffer
    .allocate(HeaderSize + state.block.length)
    .put(Version)
    .putLong(state.specification)
    .putLong(state.watermark)
    .putLong(state.timer)
    .put(state.block)
    .array()

  /** @param specification
    *   fingerprint of the query that reads it
    * @throws java.lang.IllegalStateException
    *   if it is of another version, or of another query
    */
  def read(bytes: Array[Byte], specification: Long): PortableState = {
    val state = read(bytes)
    if (state.specification != specification)
      throw new IllegalStateException(
        "the query was changed since its state was written, which would be read wrongly. Change it back, or start with a " +
          "new checkpoint location. The state is untouched"
      )
    state
  }

  /** The same for another query, whose block is made from this one. */
  def withOther(bytes: Array[Byte], specification: Long)(block: Array[Byte] => Array[Byte]): Array[Byte] = {
    val state = read(bytes)
    write(new PortableState(specification, state.watermark, state.timer, block(state.block)))
  }

  private def read(bytes: Array[Byte]): PortableState = {
    if (bytes.length < HeaderSize || bytes(0) != Version)
      throw new IllegalStateException(
        s"its state has the version ${bytes.headOption.fold("none")(_.toString)} of the portable operator's, and this release " +
          s"reads $Version: run it with the release that wrote it, or start with a new checkpoint location"
      )
    val header    = ByteBuffer.wrap(bytes, 1, HeaderSize - 1)
    val written   = header.getLong()
    val watermark = header.getLong()
    val timer     = header.getLong()
    new PortableState(written, watermark, timer, java.util.Arrays.copyOfRange(bytes, HeaderSize, bytes.length))
  }

  /** The first eight bytes of the SHA-256 of a specification. */
  def fingerprint(spec: PartSpec): Long =
    ByteBuffer.wrap(MessageDigest.getInstance("SHA-256").digest(SpecJson.identity(spec).getBytes(UTF_8))).getLong()
}

package dev.sparkwindowing.spark.checkpoint

import dev.sparkwindowing.spark.advice.Code
import dev.sparkwindowing.state.KeyStateCodec
import org.apache.hadoop.fs.Path
import org.apache.spark.sql.catalyst.expressions.RowOrdering
import org.apache.spark.sql.functions._
import org.apache.spark.sql.types.{ArrayType, BinaryType, LongType, MapType, NullType, StructType}
import org.apache.spark.sql.{Column, DataFrame, SparkSession, SparkWindowingBridge}

import scala.jdk.CollectionConverters._

/** State of a window operator as a DataFrame. [[StoredRows]] are the keys and their blocks. */
private[sparkwindowing] object StateFrame {

  /** @throws java.lang.UnsupportedOperationException if the state is that of the portable operator */
  def of(spark: SparkSession, checkpoint: String, operatorId: Option[Long], batchId: Option[Long]): DataFrame = {
    Seq("operator_id" -> operatorId, "batch_id" -> batchId).foreach {
      case (name, Some(id)) if id < 0 =>
        throw new IllegalArgumentException(s"${Code.name(name)} must be 0 or more, got $id")
      case _ => ()
    }
    val conf     = SparkWindowingBridge.hadoopConf(spark)
    val state    = new Path(checkpoint, "state").toString
    val operator = chosen(checkpoint, SpecificationFile.operators(state, conf), operatorId)
    if (new SpecificationFile(state, operator, conf).isOfPortable)
      throw new UnsupportedOperationException(
        s"${Code.name("read_state")} cannot read $checkpoint: its state is that of the portable window operator, which is not laid out for it. " +
          "Look at the results of the query, or at query.lastProgress"
      )
    val rows      = new KeyRows(LayoutFile.read(state, operator, conf), checkpoint)
    val windowsOf = udf(rows, ArrayType(rows.rowType)).withName("read_state")
    withPieces(StoredRows.of(spark, checkpoint, operator, batchId), rows)
      .select(col("key"), explode(windowsOf(col("block"), col("key").cast("string"), col("pieces"))).as("row"))
      .select(col("key") +: rows.shown.map(name => col(s"row.$name")): _*)
      .withColumn("contents", asJson(col("contents"), rows.hasContents, nulls = true))
      .withColumn("trigger", asJson(col("trigger"), rows.triggerType.isDefined, nulls = false))
      .withColumn("state", asJson(col("state"), isTyped = true, nulls = false))
  }

  // The columns `key`, `block` and `pieces` of every key: those of its pieces that are needed, by number.
  private def withPieces(stored: DataFrame, rows: KeyRows): DataFrame = {
    val keys = stored
      .where(!IsPiece)
      .select(col("key"), Block.as("block"), lit(null).cast(Pieces).as("pieces"))
    // A piece is looked for only where a key has one.
    val version = greatestVersion(keys)
    val paged   = if (version < KeyStateCodec.WithPages) keys else withPieces(stored, keys, rows.PagesOf)
    if (version < KeyStateCodec.WithPieces || !rows.needsPieces) paged else withPieces(stored, paged, rows.PiecesOf)
  }

  // 0 if there is no key.
  private def greatestVersion(keys: DataFrame): Int =
    Option(keys.agg(max(substring(col("block"), 1, 1))).head().getAs[Array[Byte]](0))
      .flatMap(_.headOption)
      .fold(0)(_ & 0xff)

  // With the pieces whose numbers a function gives.
  private def withPieces(stored: DataFrame, keys: DataFrame, toRead: KeyRows.PiecesToRead): DataFrame = {
    // Of the key of a piece only the columns are those of its owner, and not its bytes.
    val owner     = ownerOf(stored.schema("key").dataType.asInstanceOf[StructType])
    val names     = owner.map(_._1)
    val columns   = owner.map(_._2)
    val numbersOf = udf(toRead, ArrayType(LongType)).withName("pieces_of")
    val numbers   = keys
      .where(substring(col("block"), 1, 1) =!= lit(Array(KeyStateCodec.WithoutPieces.toByte)))
      .select(columns :+ explode(numbersOf(col("block"), col("key").cast("string"), col("pieces"))).as("number"): _*)
      .distinct()
    val pieces = stored
      .where(IsPiece)
      .select(columns :+ col("value.groupState.processing").as("number") :+ Block.as("piece"): _*)
    val found = pieces
      .as("p")
      .join(numbers.as("n"), equal("p", "n", names :+ "number"))
      .groupBy(names.map(n => col(s"p.$n")): _*)
      .agg(map_from_entries(collect_list(struct(col("p.number"), col("piece")))).as("pieces"))
    keys
      .select(Seq(col("key"), col("block")) ++ columns: _*)
      .as("k")
      .join(found.as("f"), equal("k", "f", names), "left")
      .select("key", "block", "pieces")
  }

  private def equal(left: String, right: String, names: Seq[String]): Column =
    names.map(n => col(s"$left.$n") <=> col(s"$right.$n")).foldLeft(lit(true))(_ && _)

  // The columns of a key in a form that can be compared, under names of their own.
  private def ownerOf(keys: StructType): Seq[(String, Column)] = {
    val renamed = StructType(keys.zipWithIndex.map { case (f, i) => f.copy(name = s"owner$i") })
    renamed.filter(_.dataType != NullType).map { f =>
      val column     = col("key").cast(renamed).getField(f.name)
      val comparable =
        if (RowOrdering.isOrderable(f.dataType)) column
        else to_json(struct(column), Map("timestampFormat" -> "yyyy-MM-dd'T'HH:mm:ss.SSSSSSXXX").asJava)
      f.name -> comparable.as(f.name)
    }
  }

  private val Pieces  = MapType(LongType, BinaryType)
  private val Block   = col("value.groupState.block")
  private val IsPiece = col("value.groupState.windows") === StateRow.OfPiece

  private def asJson(value: Column, isTyped: Boolean, nulls: Boolean): Column =
    if (isTyped) to_json(value, Map("ignoreNullFields" -> (!nulls).toString).asJava) else value

  private def chosen(checkpoint: String, found: Seq[Long], wanted: Option[Long]): Long = (found, wanted) match {
    case (Seq(), _) =>
      throw new IllegalArgumentException(
        s"$checkpoint holds no state of a window operator: there is no state/<operator>/_window/specification in it. " +
          "Give the checkpointLocation of a query with a window that has run one micro-batch at least"
      )
    case (Seq(one), None) => one
    case (several, None)  =>
      throw new IllegalArgumentException(
        s"$checkpoint holds the state of several window operators: choose one with " +
          s"${Code.name("operator_id")}, ${several.mkString(" or ")}"
      )
    case (all, Some(id)) if all.contains(id) => id
    case (all, Some(id))                     =>
      throw new IllegalArgumentException(
        s"${Code.name("operator_id")} is $id, and the window operators of $checkpoint are ${all.mkString(" and ")}"
      )
  }
}

package dev.sparkwindowing.spark.expressions

import dev.sparkwindowing.spark.advice.Code
import org.apache.spark.sql.SparkWindowingBridge
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types._

/** Converts a struct of a user's expression to a required type: fields are matched by name, in any order, and widened
  * where the conversion is lossless. Anything else is refused, with both types in the error.
  */
private[sparkwindowing] object StructFit {

  /** The value converted to that type.
    *
    * @param what
    *   name of the expression in errors, e.g. `reduce`
    * @param of
    *   owner of the required fields in errors, e.g. `the input`
    * @throws java.lang.IllegalArgumentException
    *   if it is not a struct, has other fields, or has types that do not fit
    */
  def apply(value: Expression, wanted: StructType, what: String, of: String): Expression = {
    val found = structOf(value.dataType, what)
    val at    = wanted.fieldNames.toSeq.map(indexOf(found, _))
    val names = wanted.fieldNames.toSeq.zip(at).collect { case (name, -1) => name }
    val twice = found.fieldNames.toSeq.diff(found.fieldNames.toSeq.distinct).distinct
    val more  = found.indices.filterNot(at.contains(_)).map(found(_).name).filterNot(twice.contains(_))
    if (names.nonEmpty || more.nonEmpty || twice.nonEmpty || found.size != wanted.size)
      throw new IllegalArgumentException(
        s"$what must give exactly the columns of $of (${wanted.fieldNames.mkString(", ")}), got " +
          found.fieldNames.mkString(", ") + said("missing: ", names) + said("too many: ", more) +
          said("two columns named ", twice)
      )
    wanted.zip(at).foreach { case (field, i) =>
      if (!isLossless(found(i).dataType, field.dataType))
        throw new IllegalArgumentException(
          s"$what gives '${field.name}' as ${found(i).dataType.sql}, and $of has it as ${field.dataType.sql}: cast it, " +
            s"e.g. ${Code.plain("").cast(field.dataType.catalogString)}"
        )
    }
    if (at == found.indices && wanted.zip(found).forall { case (w, g) => isSame(g.dataType, w.dataType) }) value
    else {
      val fields = wanted.zip(at).flatMap { case (field, i) =>
        Seq(Literal(field.name), widened(fieldOf(value, i), field.dataType))
      }
      value match {
        case _: CreateNamedStruct => CreateNamedStruct(fields)
        case _                    => If(IsNull(value), Literal(null, wanted), CreateNamedStruct(fields))
      }
    }
  }

  /** @throws java.lang.IllegalArgumentException
    *   for two fields of one name
    */
  def refuseTwice(fields: StructType, owner: String): Unit =
    fields.fieldNames.toSeq.diff(fields.fieldNames.toSeq.distinct).headOption.foreach { name =>
      throw new IllegalArgumentException(
        s"$owner has two columns named $name: give one of them another name before ${Code.keyBy}, e.g. " +
          s"by df.toDF(${Code.text(name)}, ${Code.text(name + "_2")}, ..), which takes the names of all columns"
      )
    }

  /** The fields of an initial struct, each with its type in the later structs. */
  def widest(start: StructType, later: Seq[StructType]): StructType =
    SparkWindowingBridge.nullable(StructType(start.map { f =>
      StructField(f.name, typesOf(f.name, later).find(_ != NullType).getOrElse(f.dataType))
    }))

  /** The fields of the first struct, each with a type that those of all structs convert to without loss, as far as
    * there is one among them.
    */
  def common(first: StructType, others: Seq[StructType]): StructType =
    SparkWindowingBridge.nullable(StructType(first.map { f =>
      StructField(
        f.name,
        typesOf(f.name, others).foldLeft(f.dataType)((a, b) => if (isLossless(b, a)) a else b)
      )
    }))

  private def typesOf(name: String, structs: Seq[StructType]): Seq[DataType] =
    structs.flatMap(t => Option(indexOf(t, name)).filter(_ >= 0).map(t(_).dataType))

  /** The type as a struct type; an error if it is another type. */
  def structOf(found: DataType, what: String): StructType = found match {
    case s: StructType => s
    case other         =>
      throw new IllegalArgumentException(
        s"$what must give a struct, got ${other.sql}: ${Code.struct}"
      )
  }

  /** The position of a field, -1 if there is none. An exact match precedes a match by Spark's comparison of names. */
  def indexOf(schema: StructType, name: String): Int = {
    val exact = schema.fieldNames.indexOf(name)
    if (exact >= 0) exact else schema.fieldNames.indexWhere(SQLConf.get.resolver(_, name))
  }

  /** A field of a struct. Does not create the struct if `struct` is the expression that creates it. */
  def fieldOf(struct: Expression, i: Int): Expression = struct match {
    case made: CreateNamedStruct => made.valExprs(i)
    case other                   => GetStructField(other, i)
  }

  private def widened(value: Expression, to: DataType): Expression =
    if (isSame(value.dataType, to)) value else new Cast(value, to, None)

  private def said(what: String, names: Seq[String]): String =
    if (names.isEmpty) "" else names.mkString(s"; $what", ", ", "")

  // Ignores nullability and metadata.
  private def isSame(a: DataType, b: DataType): Boolean = a.catalogString == b.catalogString

  private def isLossless(from: DataType, to: DataType): Boolean = (from, to) match {
    case (NullType, _)                  => true
    case (a: StructType, b: StructType) =>
      a.fieldNames.toSeq == b.fieldNames.toSeq && a.zip(b).forall { case (x, y) => isLossless(x.dataType, y.dataType) }
    case (ArrayType(a, _), ArrayType(b, _))   => isLossless(a, b)
    case (MapType(k, v, _), MapType(l, w, _)) => isLossless(k, l) && isLossless(v, w)
    case (FloatType, DoubleType)              => true
    case (a: DecimalType, b: DecimalType)     => b.scale >= a.scale && whole(b) >= whole(a)
    case (a, b: DecimalType)                  => Digits.get(a).exists(_ <= whole(b))
    case (a, FloatType)                       => Digits.get(a).exists(_ <= 5) || a == FloatType
    case (a, DoubleType)                      => Digits.get(a).exists(_ <= 10) || a == DoubleType
    case (a, b) if Digits.contains(b)         => Digits.get(a).exists(_ <= Digits(b))
    case (a, b)                               => isSame(a, b)
  }

  private def whole(t: DecimalType): Int = t.precision - t.scale

  // Maximum number of digits of a whole number of that type.
  private val Digits = Map[DataType, Int](ByteType -> 3, ShortType -> 5, IntegerType -> 10, LongType -> 19)
}

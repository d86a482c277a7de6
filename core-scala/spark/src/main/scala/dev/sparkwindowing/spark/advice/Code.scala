package dev.sparkwindowing.spark.advice

import org.apache.spark.sql.catalyst.util.quoteIfNeeded

/** Code that an error advises. Its text is that of the face in use when the message is made.
  *
  * @param text
  *   called with that face; code inside it has the same face
  */
private[sparkwindowing] class Code private[advice] (text: Face => String) {
  import Face._

  override def toString: String = text(Face.inUse)

  /** @param to
    *   the name of a type, ".." for one that the reader fills in
    */
  def cast(to: String): Code = Code {
    case Sql => s"CAST($this AS $to)"
    case _   => s"$this.cast(${if (to == "..") to else Code.text(to)})"
  }

  def as(name: String): Code = Code {
    case Python => s"$this.alias(${Code.text(name)})"
    case Scala  => s"$this.as(${Code.text(name)})"
    case Sql    => s"$this AS ${quoteIfNeeded(name)}"
  }
}

/** Kinds of code. In SQL names are in backticks where they need them, texts in single quotes. */
private[sparkwindowing] object Code {
  import Face._

  def apply(text: Face => String): Code = new Code(text)

  /** The same text for each face. */
  def plain(text: String): Code = Code(_ => text)

  /** Place that the reader fills in. */
  val dots: Code = plain("..")

  /** A text in quotes. */
  def text(value: String): Code = {
    val escaped = value.replace("\\", "\\\\").replace("\n", "\\n")
    Code {
      case Sql => s"'${escaped.replace("'", "\\'")}'"
      case _   => s""""${escaped.replace("\"", "\\\"")}""""
    }
  }

  /** A column of the rows, by its name as it is. */
  def column(name: String): Code = Code {
    case Sql => quoteIfNeeded(name)
    case _   => s"${function("col", text(path(name)))}"
  }

  /** A field of a struct. */
  def field(struct: String, name: String): Code = Code {
    case Python => s"$struct[${text(name)}]"
    case Scala  => s"${function("col", text(struct + "." + path(name)))}"
    case Sql    => s"$struct.${quoteIfNeeded(name)}"
  }

  /** A SQL expression. */
  def sql(expression: String): Code = Code {
    case Sql => expression
    case _   => s"${function("expr", text(expression))}"
  }

  /** A column as an argument, as SQL writes its name. Python takes the name, also where Scala takes only columns. */
  def reference(sql: String): Code = Code {
    case Python => s"${text(sql)}"
    case Scala  => s"${function("col", text(sql))}"
    case Sql    => sql
  }

  def lit(value: Code): Code = Code {
    case Sql => s"$value"
    case _   => s"${function("lit", value)}"
  }

  /** A function of Spark SQL. */
  def function(name: String, arguments: Code*): Code = Code { face =>
    arguments.mkString((if (face == Python) "F." else "") + name + "(", ", ", ")")
  }

  def lambda(parameters: String*)(body: Any): Code = Code {
    case Python => s"lambda ${parameters.mkString(", ")}: $body"
    case Scala  => s"${parameters.mkString("(", ", ", ")")} => $body"
    case Sql    => s"${parameters.mkString("(", ", ", ")")} -> $body"
  }

  /** A struct with fields of given names. */
  val struct: Code = function("struct", plain("value").as("name"), dots)

  /** A name of this library, as Python has it: of a setting, a parameter, or a factory of the module `sw`. */
  def name(python: String): Code = Code {
    case Scala => Factories.getOrElse(python, Word.replaceAllIn(python.stripPrefix("sw."), _.group(1).toUpperCase))
    case _     => python
  }

  private val Word      = "(?<=[a-z])_([a-z])".r
  private val Factories = Map("sw.Do" -> "Do.of", "sw.Answer" -> "TriggerAnswer.of")

  /** A call of what has such a name. */
  def call(python: String, arguments: Code*): Code = Code(_ => arguments.mkString(s"${name(python)}(", ", ", ")"))

  /** An argument by the name of its parameter. */
  def named(parameter: String, value: Any): Code = Code {
    case Python => s"$parameter=$value"
    case Scala  => s"${name(parameter)} = $value"
    case Sql    => s"$parameter => $value"
  }

  /** The step after which a stream has keys. */
  val keyBy: Code = Code {
    case Sql => "this call"
    case _   => s"${name("key_by")}"
  }

  /** The trigger of a query, which is declared in Python or Scala, also around a call of SQL. */
  def trigger(interval: String): Code = Code {
    case Python => s".trigger(processingTime=${text(interval)})"
    case Scala  => s".trigger(Trigger.ProcessingTime(${text(interval)}))"
    case Sql    => s"${Python.use(s"${trigger(interval)}")}, in Scala ${Scala.use(s"${trigger(interval)}")}"
  }

  /** The trigger of a query that ends by itself. */
  val availableNow: Code = Code {
    case Scala => ".trigger(Trigger.AvailableNow())"
    case _     => ".trigger(availableNow=True)"
  }

  /** The event time by its name, with the keys. */
  def keyByTime(column: String): Code = Code {
    case Scala => s".eventTime(${text(path(column))})"
    case _     => s"${name("key_by")}(df, .., ${named("time", text(path(column)))})"
  }

  /** A name in the dotted path of a column. */
  private[advice] def path(name: String): String = if (name.exists(".`".contains(_))) quoteIfNeeded(name) else name

  /** The input of windows, in SQL as the argument of the call. */
  val df: Frame = new Frame(_ => "df", "..")
}

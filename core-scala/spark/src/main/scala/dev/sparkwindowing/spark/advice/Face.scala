package dev.sparkwindowing.spark.advice

/** The API of a caller, in which errors write what to type. Java has the texts of Scala. */
private[sparkwindowing] sealed abstract class Face extends Product with Serializable {

  /** `body` with this face in use on this thread. */
  def use[A](body: => A): A = {
    val before = Face.inUse
    Face.current.set(this)
    try body
    finally Face.current.set(before)
  }
}

private[sparkwindowing] object Face {
  case object Python extends Face
  case object Scala  extends Face
  case object Sql    extends Face

  private val current = ThreadLocal.withInitial[Face](() => Scala)

  /** The face in use on this thread, by default Scala. What is checked after the declaration is checked in the face of
    * the declaration, which its program keeps.
    */
  def inUse: Face = current.get
}

package dev.sparkwindowing.functions

/** Name of a side output of a function.
  *
  * @throws java.lang.NullPointerException
  *   if the name is null
  * @throws java.lang.IllegalArgumentException
  *   if it is empty
  */
final case class OutputTag[T](id: String) {
  if (id == null) throw new NullPointerException("the tag of a side output must not be null")
  if (id.isEmpty) throw new IllegalArgumentException("the tag of a side output must not be empty")
}

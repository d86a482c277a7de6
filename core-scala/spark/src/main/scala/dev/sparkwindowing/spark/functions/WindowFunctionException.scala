package dev.sparkwindowing.spark.functions

/** A user's function failed; the message says which, and for which key and window. The query stops, and goes on from
  * its checkpoint when the function is mended.
  */
final class WindowFunctionException private[functions] (message: String, cause: Throwable)
    extends RuntimeException(message, cause)

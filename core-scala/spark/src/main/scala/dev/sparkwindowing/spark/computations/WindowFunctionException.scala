package dev.sparkwindowing.spark.computations

/** Failure of a user's function. The message names the function, key and window. The query stops. Once the function is
  * fixed, it resumes from its checkpoint.
  */
final class WindowFunctionException private[spark] (message: String, cause: Throwable)
    extends RuntimeException(message, cause)

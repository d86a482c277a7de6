package dev.sparkwindowing.spark

import org.apache.logging.log4j.core.appender.AbstractAppender
import org.apache.logging.log4j.core.config.{LoggerConfig, Property}
import org.apache.logging.log4j.core.{LogEvent, LoggerContext}
import org.apache.logging.log4j.{Level, LogManager}

import scala.collection.mutable.ArrayBuffer

/** Collects log messages under a logger name while a test runs. */
object Logged {

  def warnings(name: String)(work: => Unit): Seq[String] = {
    val lines    = ArrayBuffer.empty[String]
    val appender = new AbstractAppender("lines", null, null, true, Property.EMPTY_ARRAY) {
      def append(event: LogEvent): Unit = lines.synchronized(lines += event.getMessage.getFormattedMessage)
    }
    val context = LogManager.getContext(false).asInstanceOf[LoggerContext]
    val config  = new LoggerConfig(name, Level.WARN, false)
    appender.start()
    config.addAppender(appender, Level.WARN, null)
    context.getConfiguration.addLogger(name, config)
    context.updateLoggers()
    try work
    finally {
      context.getConfiguration.removeLogger(name)
      context.updateLoggers()
    }
    lines.synchronized(lines.toList)
  }
}

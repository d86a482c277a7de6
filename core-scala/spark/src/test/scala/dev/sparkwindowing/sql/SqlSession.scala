package dev.sparkwindowing.sql

import dev.sparkwindowing.SparkWindowing
import dev.sparkwindowing.spark.{DrivenQuery, SharedSpark}
import org.apache.spark.sql.SparkSession
import org.scalatest.Suite

/** Session with the table functions, and queries of it over a stream `events`. */
trait SqlSession extends SharedSpark { this: Suite =>

  protected lazy val sql: SparkSession = {
    val session = spark.newSession()
    SparkWindowing.attach(session)
    session
  }

  protected def streamed(select: String, from: String): DrivenQuery = new DrivenQuery(sql)(events => {
    events.createOrReplaceTempView("events")
    sql.sql(s"SELECT $select FROM $from")
  })

  protected def running(query: DrivenQuery)(test: DrivenQuery => Unit): Unit =
    try test(query.start())
    finally { val _ = query.stop() }
}

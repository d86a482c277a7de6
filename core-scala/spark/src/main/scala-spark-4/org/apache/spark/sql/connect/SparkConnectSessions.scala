package org.apache.spark.sql.connect

import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connect.planner.SparkConnectPlanner
import org.apache.spark.sql.connect.service.SparkConnectService

/** The sessions of clients of this Spark Connect server. */
object SparkConnectSessions {

  /** The planner of the session in which Spark analyzes a plan at this moment.
    *
    * @throws java.lang.IllegalArgumentException
    *   if it is no session of a client
    */
  def plannerOfCaller(): SparkConnectPlanner = {
    val session = SparkSession.active
    val manager = SparkConnectService.sessionManager
    // By the identifier first: to look at a session keeps it from ending.
    manager.listActiveSessions.iterator
      .filter(_.serverSessionId == session.sessionUUID)
      .flatMap(info => manager.getIsolatedSessionIfPresent(info.key))
      .find(_.session eq session)
      .map(new SparkConnectPlanner(_))
      .getOrElse(throw new IllegalArgumentException("this is no session of a client of Spark Connect"))
  }
}

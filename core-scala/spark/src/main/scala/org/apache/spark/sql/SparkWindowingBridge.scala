package org.apache.spark.sql

import dev.sparkwindowing.spark.relocated.Relocated
import dev.sparkwindowing.spark.relocated.Relocated.{QueryExecutionThread, StreamExecution}
import org.apache.hadoop.conf.Configuration
import org.apache.spark.TaskContext
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.analysis.UnresolvedAlias
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.optimizer.NormalizeFloatingNumbers
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, OneRowRelation, Project}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.SparkStrategy
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{ArrayType, DataType, MapType, StructType, UserDefinedType}

import java.util.UUID
import scala.jdk.CollectionConverters._
import scala.util.Try

/** Access to Spark methods that are private to its packages. */
object SparkWindowingBridge {
  def toDataFrame(session: SparkSession, plan: LogicalPlan): DataFrame =
    ClassicApi.ofRows(session, plan)

  def analyzedPlan(df: DataFrame): LogicalPlan = df.asInstanceOf[ClassicApi.Dataset[Row]].queryExecution.analyzed

  /** A DataFrame of rows that tasks make. */
  def ofRows(session: SparkSession, rows: RDD[InternalRow], schema: StructType): DataFrame =
    session.asInstanceOf[ClassicApi.Session].internalCreateDataFrame(rows, schema)

  /** The rows of a static plan as a micro-batch of a stream. */
  def streamed(session: SparkSession, plan: LogicalPlan): DataFrame = {
    val classic = session.asInstanceOf[ClassicApi.Session]
    val rows    = ClassicApi.ofRows(session, plan).queryExecution.toRdd
    classic.internalCreateDataFrame(rows, plan.schema, isStreaming = true)
  }

  /** The rows of a micro-batch as a static DataFrame, whose partitions are computed as often as it is read. */
  def static(batch: DataFrame): DataFrame =
    ofRows(batch.sparkSession, batch.asInstanceOf[ClassicApi.Dataset[Row]].queryExecution.toRdd, batch.schema)

  /** A class that the session can load; None if there is none. */
  def findClass(session: SparkSession, name: String): Option[Class[_]] = {
    val loaders = Seq(
      Thread.currentThread.getContextClassLoader,
      session.asInstanceOf[ClassicApi.Session].sharedState.jarClassLoader
    )
    loaders.filter(_ != null).flatMap(loader => Try[Class[_]](loader.loadClass(name)).toOption).headOption
  }

  /** A session with the same settings, and queries of its own. */
  def cloned(session: SparkSession): SparkSession = session.asInstanceOf[ClassicApi.Session].cloneSession()

  /** Rows of a plan, in order. Where they are known on the driver, no job runs. */
  def collectRows(session: SparkSession, plan: LogicalPlan): Array[InternalRow] =
    ClassicApi.ofRows(session, plan).queryExecution.executedPlan.executeCollect()

  /** The key with all NaN made one and -0.0 made 0.0, at any depth, as in Spark's grouping. */
  def normalizeKey(key: Expression): Expression = NormalizeFloatingNumbers.normalize(key)

  /** The same type with every field, element and value nullable. */
  def nullable(schema: StructType): StructType = schema.asNullable

  /** The same type with user-defined types replaced by the types that store them, at any depth. */
  def plain(dataType: DataType): DataType = dataType match {
    case u: UserDefinedType[_] => plain(u.sqlType)
    case s: StructType         => StructType(s.map(field => field.copy(dataType = plain(field.dataType))))
    case a: ArrayType          => a.copy(elementType = plain(a.elementType))
    case m: MapType            => m.copy(keyType = plain(m.keyType), valueType = plain(m.valueType))
    case other                 => other
  }

  /** Hadoop configuration of a session, for file access. */
  def hadoopConf(session: SparkSession): Configuration =
    session.asInstanceOf[ClassicApi.Session].sessionState.newHadoopConf()

  /** A copy of a session's settings with others. */
  def settings(session: SparkSession, changed: Map[String, String]): SQLConf = {
    val copy = session.asInstanceOf[ClassicApi.Session].sessionState.conf.clone()
    changed.foreach { case (name, value) => copy.setConfString(name, value) }
    copy
  }

  /** Adds an optimizer rule and a planning strategy to a running session, and all of `extend` to sessions made from it,
    * once. Classes that only this session has, from a jar that a client of Spark Connect added, stay in it and its
    * copies: other sessions share `extend`, and would lose the classes when this one ends.
    */
  def addPlanning(
      session: SparkSession,
      rule: Rule[LogicalPlan],
      strategy: SparkStrategy,
      extend: SparkSessionExtensions => Unit
  ): Unit = {
    val classic = session.asInstanceOf[ClassicApi.Session]
    // Sessions share this object; a running session may or may not read it again.
    val extensions = classic.extensions
    extensions.synchronized {
      if (isShared(classic, strategy.getClass) && !extensions.buildPlannerStrategies(classic).contains(strategy))
        extend(extensions)
      if (!classic.sessionState.planner.strategies.contains(strategy)) {
        classic.experimental.extraStrategies = classic.experimental.extraStrategies :+ strategy
        classic.experimental.extraOptimizations = classic.experimental.extraOptimizations :+ rule
      }
    }
  }

  /** The columns of a text that could stand between SELECT and FROM; None for a text that goes on after them. */
  def selectList(session: SparkSession, text: String): Option[Seq[Column]] =
    session.asInstanceOf[ClassicApi.Session].sessionState.sqlParser.parsePlan(s"SELECT $text") match {
      case Project(list, _: OneRowRelation) =>
        Some(list.map {
          case UnresolvedAlias(column, _) => ClassicApi.column(column)
          case column                     => ClassicApi.column(column)
        })
      case _ => None
    }

  /** False for a class that only this session has, from a jar that a client of Spark Connect added. */
  def isShared(session: SparkSession, ours: Class[_]): Boolean =
    Try(session.asInstanceOf[ClassicApi.Session].sharedState.jarClassLoader.loadClass(ours.getName)).toOption
      .contains(ours)

  /** Runs `body` in this thread as a part of a task. */
  def inTask(task: TaskContext)(body: => Unit): Unit = {
    TaskContext.setTaskContext(task)
    body
  }

  /** Runs `body` with this session as the active one, so that its settings apply. */
  def within[A](session: SparkSession)(body: => A): A = session.asInstanceOf[ClassicApi.Session].withActive(body)

  // By name: from 4.2 on the metadata is declared with another class.
  private def metadata(of: AnyRef, time: String): Long = {
    val metadata = of.getClass.getMethod("offsetSeqMetadata").invoke(of)
    metadata.getClass.getMethod(time).invoke(metadata).asInstanceOf[Number].longValue
  }

  /** Spark's watermark when a micro-batch of a query was last constructed, or would have been; 0 before the first. */
  def plannedWatermark(query: StreamExecution): Long = metadata(Relocated.constructed(query), "batchWatermarkMs")

  /** The query that the calling thread runs. */
  def currentQuery(): Option[StreamExecution] = SparkSession.getActiveSession.flatMap(currentQuery(_))

  /** The query of a session that the calling thread runs. */
  def currentQuery(session: SparkSession): Option[StreamExecution] = {
    val id = session.sparkContext.getLocalProperty(StreamExecution.QUERY_ID_KEY)
    activeQueries(session).find(_.id.toString == id) // none for the id null
  }

  /** A micro-batch of a running query: the last one that was planned. */
  final class MicroBatch private[SparkWindowingBridge] (val query: StreamExecution) {
    private val execution = query.lastExecution

    def id: Long             = execution.currentBatchId
    def logical: LogicalPlan = execution.logical

    /** The folder `state` of the checkpoint. */
    def stateLocation: String = execution.checkpointLocation

    /** Milliseconds. */
    def processingTime: Long = metadata(execution, "batchTimestampMs")

    /** Spark's, in milliseconds. */
    def watermark: Long = metadata(execution, "batchWatermarkMs")
  }

  /** None before the first. */
  def microBatch(query: StreamExecution): Option[MicroBatch] =
    if (query.lastExecution == null) None else Some(new MicroBatch(query))

  /** The micro-batch that the calling thread runs; None outside one. */
  def microBatch(session: SparkSession): Option[MicroBatch] = currentQuery(session).flatMap(microBatch(_))

  /** The query that the calling thread runs, before its first micro-batch only. */
  def startingQuery(): Option[StreamExecution] = Thread.currentThread() match {
    case _: QueryExecutionThread =>
      currentQuery().filter { query =>
        val context = query.sparkSession.sparkContext
        val isFirst = context.getLocalProperty(StartedRun) != query.runId.toString
        if (isFirst) context.setLocalProperty(StartedRun, query.runId.toString)
        isFirst
      }
    case _ => None
  }

  private val StartedRun = "spark.windowing.startedRun"

  /** The query of that run, if it still runs. */
  def activeQuery(session: SparkSession, runId: UUID): Option[StreamExecution] =
    activeQueries(session).find(_.runId == runId)

  /** True if the query with that id runs, in any session of the application. */
  def isActive(session: SparkSession, id: String): Boolean = activeQueries(session).exists(_.id.toString == id)

  private def activeQueries(session: SparkSession): Iterable[StreamExecution] =
    session.asInstanceOf[ClassicApi.Session].sharedState.activeStreamingQueries.values.asScala
}

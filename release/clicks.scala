import dev.sparkwindowing.SparkWindowing
import dev.sparkwindowing.assigners.EventTimeSessionWindows
import java.time.Duration
import org.apache.spark.sql.functions._

val rows = Seq(("ann", 3, "2026-01-01 10:00:00"), ("ann", 4, "2026-01-01 10:20:00"), ("ann", 5, "2026-01-01 12:00:00"), ("bob", 9, "2026-01-01 10:00:00"))
val clicks = rows.toDF("user", "price", "at").withColumn("ts", to_timestamp(col("at")))
val sessions = SparkWindowing.keyBy(clicks, Seq(col("user")), Some(col("ts"))).window(EventTimeSessionWindows.withGap(Duration.ofMinutes(30)))
val spent = sessions.aggregate(sum("price").as("spent"))
val found = spent.orderBy("user", "window.start").select("user", "spent").as[(String, Long)].collect()
println("result: " + found.mkString(" "))
:quit

import org.typelevel.sbt.tpolecat.CiMode
import org.typelevel.scalacoptions.ScalacOptions

import java.util.Properties
import scala.xml.transform.{RewriteRule, RuleTransformer}
import scala.xml.{Elem, Node, NodeSeq}

// Written once: versions.properties (shared with the Makefile) and the Python package's version file.
val versions = {
  val p = new Properties
  IO.load(p, file("versions.properties"))
  p
}
val sparkV = versions.getProperty("spark")
val lines  = versions.getProperty("lines").split(' ').toSeq
val others = versions.getProperty("lines.maven").split(' ').toSeq
val flinkV = versions.getProperty("flink")
val ownV   = {
  val line = IO.readLines(file("python/src/spark_windowing/_version.py")).find(_.startsWith("__version__"))
  line.flatMap(_.split('"').lift(1)).getOrElse(sys.error("no __version__ in _version.py"))
}

ThisBuild / organization               := "dev.sparkwindowing"
ThisBuild / version                    := ownV
ThisBuild / scalaVersion               := versions.getProperty("scala")
ThisBuild / tpolecatDefaultOptionsMode := CiMode // every warning is an error
ThisBuild / semanticdbEnabled          := true
ThisBuild / semanticdbVersion          := "4.14.2"
ThisBuild / versionScheme              := Some("early-semver")
ThisBuild / tpolecatExcludeOptions += ScalacOptions.warnNonUnitStatement // `set.add(x)` and scalatest's assertions
ThisBuild / tpolecatExcludeOptions += ScalacOptions.warnValueDiscard
Global / excludeLintKeys ++= Set(ThisBuild / versionScheme, ThisBuild / tpolecatExcludeOptions)

// Spark's own JavaModuleOptions, less what only Java 22+ knows
val sparkJvm = Seq(
  "java.lang",
  "java.lang.invoke",
  "java.lang.reflect",
  "java.io",
  "java.net",
  "java.nio",
  "java.util",
  "java.util.concurrent",
  "java.util.concurrent.atomic",
  "jdk.internal.ref",
  "sun.nio.ch",
  "sun.nio.cs",
  "sun.security.action",
  "sun.util.calendar"
).map(p => s"--add-opens=java.base/$p=ALL-UNNAMED") ++ Seq(
  "--add-opens=java.security.jgss/sun.security.krb5=ALL-UNNAMED",
  "-XX:+IgnoreUnrecognizedVMOptions",
  "-Djdk.reflect.useDirectMethodHandle=false",
  "-Dio.netty.tryReflectionSetAccessible=true"
)

val forked = Seq(
  Test / fork    := true,
  Test / envVars := Map("SPARK_LOCAL_IP" -> "127.0.0.1"),
  Test / javaOptions ++= sparkJvm ++ Seq(
    "-Xmx2g",
    "-Dspark.ui.enabled=false",
    s"-Dscenarios=${(ThisBuild / baseDirectory).value / "tests" / "scenarios"}"
  ),
  Test / testOptions += Tests.Argument(TestFrameworks.ScalaTest, "-oDS")
)

// Most code of the tests on Spark runs a few times only: an optimizing compiler costs more than it gives. Without one the
// JVM has little room for code by default, and throws away what it will need again.
val quickStart = Seq("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-XX:ReservedCodeCacheSize=240m")

val testing = libraryDependencies ++= Seq(
  "org.scalatest"     %% "scalatest"       % "3.2.19"   % Test,
  "org.scalatestplus" %% "scalacheck-1-18" % "3.2.19.0" % Test,
  "org.yaml"           % "snakeyaml"       % "2.4"      % Test
)

// Spark 4 runs on Kryo 4 and Flink 2 on Kryo 5, in one package: keep Spark's, and give Flink only its own Types.*
def flink(scope: Configuration) = Seq(
  "org.apache.flink" % "flink-streaming-java" % flinkV % scope exclude ("com.esotericsoftware", "kryo"),
  "org.apache.flink" % "flink-runtime"        % flinkV % scope exclude ("com.esotericsoftware", "kryo"),
  "org.apache.flink" % "flink-runtime" % flinkV % scope classifier "tests" exclude ("com.esotericsoftware", "kryo"),
  ("org.apache.flink" % "flink-test-utils-junit" % flinkV % scope).intransitive()
)

/** For Scala 2.12 and Java 8. The sources are checked where they are compiled with Scala 2.13, so nothing is here. */
val scala212 = Seq(
  scalaVersion                                    := versions.getProperty("scala-2.12"),
  Compile / scalacOptions                         := Seq("-encoding", "utf8", "-nowarn", "-release", "8"),
  Test / scalacOptions                            := Seq("-encoding", "utf8", "-nowarn"),
  semanticdbEnabled                               := false,
  libraryDependencies += "org.scala-lang.modules" %% "scala-collection-compat" % "2.7.0" % Provided // part of Spark 3.5
) ++ formatted("none")

/** What a window is and does: pure Scala, nothing of Spark on the class path. */
lazy val engine = (project in file("core-scala/engine"))
  .settings(moduleName := "spark-windowing-engine", publish / skip := true)
  .settings(forked, testing)

/** The same with Scala 2.12, for Spark 3.5. */
lazy val engine212 = (project in file("core-scala/engine-2.12"))
  .settings(moduleName := "spark-windowing-engine", publish / skip := true)
  .settings(forked, testing)
  .settings(
    sourceDirectory := (ThisBuild / baseDirectory).value / "core-scala" / "engine" / "src"
  )
  .settings(scala212)

// What Maven Central asks of a POM. The address is the domain that the organization is named after.
val home = url("https://sparkwindowing.dev")
ThisBuild / homepage             := Some(home)
ThisBuild / licenses             := Seq("Apache-2.0" -> url("https://www.apache.org/licenses/LICENSE-2.0.txt"))
ThisBuild / developers           := List(Developer("spark-windowing", "the authors of spark-windowing", "", home))
ThisBuild / scmInfo              := Some(ScmInfo(home, "scm:git:https://sparkwindowing.dev/spark-windowing.git"))
ThisBuild / pomIncludeRepository := (_ => false)

/** Spark brings all that the jar needs, the Scala library too. The engine's classes are in the jar, so the engine is no
  * dependency.
  */
lazy val withoutOwnAndTests = new RuleTransformer(new RewriteRule {
  override def transform(node: Node): NodeSeq = node match {
    case e: Elem if e.label == "dependency" =>
      val name = (e \ "artifactId").text
      if (name.startsWith("spark-windowing-engine") || (e \ "scope").text == "test") NodeSeq.Empty
      else if (name == "scala-library") e.copy(child = e.child.filterNot(_.label == "scope") :+ <scope>provided</scope>)
      else e
    case other => other
  }
})

/** Jar, sources, Scaladoc and POM in target/maven, a folder with the layout of Maven Central. Sources and Scaladoc are
  * those of all classes in the jar, the engine's too.
  */
def published(line: String, engine: Project) = Seq(
  publishTo            := Some(MavenCache("maven", (ThisBuild / baseDirectory).value / "target" / "maven")),
  publishConfiguration := publishConfiguration.value.withOverwrite(true),
  description          := s"Apache Flink's windows for Spark Structured Streaming; from Spark $line on",
  projectInfo          := projectInfo.value.withNameFormal(s"spark-windowing for Spark $line"),
  pomPostProcess       := ((node: Node) => withoutOwnAndTests.transform(node).head),
  Compile / packageSrc / mappings ++= (engine / Compile / packageSrc / mappings).value
)

// ./sbtw publishAll
addCommandAlias("publishAll", "spark/publish; spark40/publish; spark35/publish; spark35s213/publish")

/** The operator in Spark and the public API, for one line of Spark. The jar carries the engine's classes: one file to
  * hand to Spark.
  *
  * @param line
  *   first version of Spark that the jar runs on
  * @param engine
  *   the engine for its Scala
  * @param spark
  *   version that it is built with
  * @param folders
  *   sources beside `scala`
  */
def operator(line: String, engine: Project, spark: String, folders: String*)(project: Project): Project = project
  .dependsOn(engine % "compile->compile;test->test")
  .enablePlugins(BuildInfoPlugin)
  .settings(forked, testing)
  .settings(published(line, engine))
  .settings(
    moduleName                                := s"spark-windowing-spark$line",
    libraryDependencies += "org.apache.spark" %% "spark-sql" % spark % Provided,
    libraryDependencies += "org.scala-lang" % "scala-compiler" % scalaVersion.value % Test, // runs what errors say to type
    sourceDirectory := (ThisBuild / baseDirectory).value / "core-scala" / "spark" / "src",
    Compile / unmanagedSourceDirectories ++= folders.map((Compile / sourceDirectory).value / _),
    Test / unmanagedSourceDirectories ++= folders.map((Test / sourceDirectory).value / _),
    Compile / packageBin / mappings ++= (engine / Compile / packageBin / mappings).value
      .filterNot(_._2.startsWith("META-INF")),
    // The API pages: those of the engine and of the public packages here. Assigned, since the sources may stand once only.
    Compile / doc / sources       := (Compile / sources).value ++ (engine / Compile / sources).value,
    Compile / doc / scalacOptions := Seq("-encoding", "utf8", "-no-link-warnings", "-doc-title", "spark-windowing") ++
      Seq(
        "-doc-version",
        ownV,
        "-skip-packages",
        "org.apache.spark:dev.sparkwindowing.spark:dev.sparkwindowing.interop"
      ),
    Test / javaOptions ++= quickStart,
    // All cases: SBT_OPTS="-Dlong=true" ./sbtw "spark/testOnly *HeartbeatSpec"
    Test / javaOptions ++= sys.props.get("long").map(v => s"-Dlong=$v").toSeq,
    buildInfoKeys := Seq[BuildInfoKey](
      version,
      scalaVersion,
      "sparkVersion" -> spark,
      "sparkLine"    -> line,
      "lines"        -> (lines ++ others).mkString(" ")
    ),
    buildInfoPackage := "dev.sparkwindowing.spark"
  )

/** The server of Spark Connect, for the plugin. Its jar has its own copies of all that it needs beside Spark. */
def connect(version: String) =
  libraryDependencies += ("org.apache.spark" %% "spark-connect" % version % Provided).intransitive()

/** Formats and checks the sources in one folder only: the other ones are those of `spark`. */
def formatted(folder: String) = Seq(Compile, Test).flatMap { scope =>
  val own = Def.task((scope / unmanagedSources).value.filter(_.getPath.contains(s"/$folder/")))
  Seq(scope / scalafmt / unmanagedSources := own.value, scope / scalafix / unmanagedSources := own.value)
}

/** Spark 4.1 to 4.3. */
lazy val spark = (project in file("core-scala/spark"))
  .configure(operator("4.1", engine, sparkV, "scala-spark-4", "scala-spark-4.1"))
  .settings(connect(versions.getProperty("spark.connect")))

/** Spark 4.0. */
lazy val spark40 = (project in file("core-scala/spark-4.0"))
  .configure(operator("4.0", engine, versions.getProperty("spark-4.0"), "scala-spark-4", "scala-spark-4.0"))
  .settings(connect(versions.getProperty("spark.connect-4.0")))
  .settings(formatted("scala-spark-4.0"))

/** Spark 3.5 with Scala 2.12, as PySpark's package has it. */
lazy val spark35 = (project in file("core-scala/spark-3.5"))
  .configure(operator("3.5", engine212, versions.getProperty("spark-3.5"), "scala-spark-3.5"))
  .settings(scala212)

/** Spark 3.5 with Scala 2.13. */
lazy val spark35s213 = (project in file("core-scala/spark-3.5-scala-2.13"))
  .configure(operator("3.5", engine, versions.getProperty("spark-3.5"), "scala-spark-3.5"))
  .settings(formatted("scala-spark-3.5"))

/** Tests only: random scenarios against a real Flink window operator. */
lazy val conformance = (project in file("core-scala/conformance"))
  .dependsOn(engine % "test->compile;test->test")
  .settings(forked, testing)
  .settings(
    publish / skip := true,
    libraryDependencies ++= flink(Test),
    // SBT_OPTS="-Dcases=20000 -Dseed=7" ./sbtw conformance/test
    Test / javaOptions ++= Seq("cases", "seed").flatMap(n => sys.props.get(n).map(v => s"-D$n=$v"))
  )

/** Writes what `java` needs to run the classes of `bench` without sbt. */
val javaArguments = taskKey[File]("target/bench/java.args: java @target/bench/java.args CLASS")

/** JMH benchmarks and end-to-end comparisons; not published. */
lazy val bench = (project in file("core-scala/bench"))
  .dependsOn(engine, spark)
  .enablePlugins(JmhPlugin)
  .settings(
    publish / skip := true,
    libraryDependencies ++= flink(Compile) ++ Seq(
      "org.apache.flink"  % "flink-statebackend-rocksdb" % flinkV,
      "org.apache.spark" %% "spark-sql"                  % sparkV
    ),
    Jmh / javaOptions ++= sparkJvm,
    Compile / run / fork := true,
    Compile / run / javaOptions ++= sparkJvm ++ Seq("-Xms4g", "-Xmx4g"),
    javaArguments := {
      val file      = (ThisBuild / baseDirectory).value / "target" / "bench" / "java.args"
      val classPath = (Runtime / fullClasspath).value.files.mkString(java.io.File.pathSeparator)
      IO.writeLines(file, (Compile / run / javaOptions).value ++ Seq("-cp", "\"" + classPath + "\""))
      file
    }
  )

/** Writes what `java` and Spark need beside Spark's own jars, of another Spark than that which is compiled with. */
val liveClasses =
  taskKey[File]("target/real-time/{classes.path,java.args}: folders and jars, of Scala's tests too; options")

/** Rows in memory as a source and a sink of real-time mode, for benchmarks; tests on a Spark that has that mode. */
lazy val realTime = (project in file("core-scala/real-time"))
  .dependsOn(engine, spark % "compile->compile;test->test")
  .settings(forked, testing)
  .settings(
    publish / skip := true,
    Test / javaOptions ++= quickStart,
    libraryDependencies += "org.apache.spark" %% "spark-sql" % sparkV % Provided,
    liveClasses                               := {
      val file = (ThisBuild / baseDirectory).value / "target" / "real-time" / "classes.path"
      val all  = (Test / fullClasspath).value.files
      // Those of the running Spark take the place of all others.
      val own = all.filter(f =>
        f.isDirectory || Seq("scalatest", "scalactic", "scalacheck", "test-interface").exists(f.getName.startsWith)
      )
      IO.write(file, own.mkString(java.io.File.pathSeparator))
      IO.writeLines(file.getParentFile / "java.args", (Test / javaOptions).value)
      file
    }
  )

/** Writes the class paths of what examples and tests run beside Spark, a file each: names of jars, one a line. */
val jars =
  taskKey[Unit](
    "target/services/{kafka-broker,postgres,spark-tables}.jars, {spark-kafka,delta,iceberg}.jars, the last also for other Sparks, as -3-5"
  )

val KafkaBroker  = config("kafka-broker")
val SparkKafka   = config("spark-kafka")
val SparkKafka35 = config("spark-kafka-3-5")
val SparkKafka40 = config("spark-kafka-4-0")
val SparkKafka41 = config("spark-kafka-4-1") // the source of 4.2 runs on 4.3, not on 4.1
val Delta        = config("delta")
val Delta41      = config("delta-4-1")

val Delta40     = config("delta-4-0")
val Delta35     = config("delta-3-5")
val Iceberg41   = config("iceberg-4-1")
val Iceberg40   = config("iceberg-4-0")
val Iceberg35   = config("iceberg-3-5")
val Postgres    = config("postgres")
val SparkTables = config("spark-tables") // tables in memory of the tests of Spark, for Auto CDC

val kafkaConfigurations = Seq(KafkaBroker, SparkKafka, SparkKafka35, SparkKafka40, SparkKafka41)
val tableConfigurations = Seq(Delta, Delta41, Delta40, Delta35, Iceberg41, Iceberg40, Iceberg35, Postgres, SparkTables)
val serviceConfigurations = kafkaConfigurations ++ tableConfigurations

// What Spark brings itself is left out, so only the jars named here come.
def kafkaSource(
    version: String,
    scope: Configuration,
    scala: String = "2.13",
    tokens: String = "kafka.token-provider"
) = Seq(
  "org.apache.spark"   % s"spark-sql-kafka-0-10_$scala"            % version,
  "org.apache.spark"   % s"spark-token-provider-kafka-0-10_$scala" % versions.getProperty(tokens),
  "org.apache.kafka"   % "kafka-clients"                           % versions.getProperty("kafka.clients"),
  "org.apache.commons" % "commons-pool2"                           % "2.13.1"
).map(module => (module % scope).intransitive())

def deltaLake(sparkLine: String, scope: Configuration) = Seq(
  "io.delta"        % s"delta-spark_${sparkLine}_2.13" % versions.getProperty("delta"),
  "io.delta"        % "delta-storage"                  % versions.getProperty("delta"),
  "io.delta"        % "delta-kernel-api"               % versions.getProperty("delta"),
  "io.delta"        % "delta-kernel-defaults"          % versions.getProperty("delta"),
  "io.delta"        % "delta-kernel-unitycatalog"      % versions.getProperty("delta"),
  "io.unitycatalog" % "unitycatalog-client"            % "0.6.0",
  "io.unitycatalog" % "unitycatalog-hadoop"            % "0.6.0"
).map(module => (module % scope).intransitive())

def iceberg(sparkLine: String, scala: String, scope: Configuration) =
  ("org.apache.iceberg" % s"iceberg-spark-runtime-${sparkLine}_$scala" % versions.getProperty(
    s"iceberg-$sparkLine"
  ) % scope)
    .intransitive()

/** No code: what examples and tests run beside Spark, fetched as everything else is. */
lazy val services = (project in file("core-scala/services"))
  .configs(serviceConfigurations: _*)
  .settings(
    publish / skip    := true,
    autoScalaLibrary  := false,
    ivyConfigurations := overrideConfigs(serviceConfigurations: _*)(ivyConfigurations.value),
    libraryDependencies ++= Seq(
      "org.apache.kafka"        %% "kafka"            % versions.getProperty("kafka.broker") % KafkaBroker,
      "org.apache.logging.log4j" % "log4j-slf4j-impl" % "2.25.4"                             % KafkaBroker
    ),
    libraryDependencies ++= kafkaSource(sparkV, SparkKafka),
    libraryDependencies ++= kafkaSource(
      versions.getProperty("kafka.source-3.5"),
      SparkKafka35,
      "2.12",
      "kafka.source-3.5"
    ),
    libraryDependencies ++= kafkaSource(versions.getProperty("kafka.source-4.0"), SparkKafka40),
    libraryDependencies ++= kafkaSource(versions.getProperty("kafka.source-4.1"), SparkKafka41),
    libraryDependencies ++= deltaLake("4.2", Delta),
    libraryDependencies ++= deltaLake("4.1", Delta41),
    libraryDependencies ++= deltaLake("4.0", Delta40),
    libraryDependencies ++= Seq("delta-spark_2.12", "delta-storage").map { module =>
      ("io.delta" % module % versions.getProperty("delta-3.5") % Delta35).intransitive()
    },
    libraryDependencies ++= Seq(
      iceberg("4.1", "2.13", Iceberg41),
      iceberg("4.0", "2.13", Iceberg40),
      iceberg("3.5", "2.12", Iceberg35),
      ("org.postgresql" % "postgresql" % versions.getProperty("postgres") % Postgres).intransitive(),
      ("org.apache.spark" %% "spark-catalyst" % sparkV % SparkTables classifier "tests").intransitive()
    ),
    jars := {
      val report = update.value
      serviceConfigurations.foreach { configuration =>
        val file = (ThisBuild / baseDirectory).value / "target" / "services" / s"${configuration.name}.jars"
        IO.writeLines(file, report.select(configurationFilter(configuration.name)).distinct.map(_.getPath))
      }
    }
  )

/** The Scala page: `docs/mdoc` runs core-scala/docs/scala.md and writes it with its output to docs/scala.md, `docs/mdoc
  * --check` compares both. Written on the Spark that is developed with.
  */
lazy val docs = (project in file("core-scala/docs"))
  .dependsOn(spark)
  .enablePlugins(MdocPlugin)
  .settings(
    publish / skip                            := true,
    libraryDependencies += "org.apache.spark" %% "spark-sql" % sparkV,
    Compile / scalacOptions := Seq("-encoding", "utf8"), // imports of an example are not all used in it
    mdocIn                  := baseDirectory.value / "scala.md",
    mdocOut                 := (ThisBuild / baseDirectory).value / "docs" / "scala.md",
    mdocVariables           := Map("VERSION" -> ownV),
    mdocExtraArguments      := Seq("--no-link-hygiene"), // its links are those of the folder docs
    Compile / run / fork    := true,
    Compile / run / envVars := Map("SPARK_LOCAL_IP" -> "127.0.0.1"),
    Compile / run / javaOptions ++= sparkJvm ++ Seq(
      "-Xmx1g",
      "-XX:TieredStopAtLevel=1",
      "-XX:+UseSerialGC",
      "-Dspark.ui.enabled=false",
      s"-Dlog4j2.configurationFile=${(spark / Test / resourceDirectory).value / "log4j2.properties"}",
      s"-Dspark.sql.warehouse.dir=${target.value / "warehouse"}"
    )
  )

/** Collects the jars for `spark.jars`, which the wheel bundles. */
val sparkJars = taskKey[Unit]("target/spark-jars/*.jar, one for each line of Spark")

lazy val root = (project in file("."))
  .aggregate(engine, spark, spark40, conformance, bench, realTime)
  .settings(
    publish / skip := true,
    sparkJars      := {
      val folder = (ThisBuild / baseDirectory).value / "target" / "spark-jars"
      val made   = Seq(
        (spark / Compile / packageBin).value,
        (spark40 / Compile / packageBin).value,
        (spark35 / Compile / packageBin).value
      )
      val wanted = lines.map(line => s"spark-windowing-spark$line-$ownV.jar")
      if (made.map(_.getName).toSet != wanted.toSet) sys.error(s"lines of versions.properties: $wanted, built: $made")
      IO.delete(folder)
      made.foreach(jar => IO.copyFile(jar, folder / jar.getName))
    },
    sparkJars / aggregate := false
  )

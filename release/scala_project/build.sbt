scalaVersion := "2.13.18"

resolvers += "release" at sys.env("RELEASE_MAVEN")

libraryDependencies ++= Seq(
  "dev.sparkwindowing" %% "spark-windowing-spark4.1" % sys.env("RELEASE_VERSION"),
  "org.apache.spark"   %% "spark-sql"                % sys.env("RELEASE_SPARK") % Provided,
  "org.scalatest"      %% "scalatest"                % "3.2.19"                 % Test
)

Test / fork := true
Test / javaOptions ++= Seq("java.lang", "java.lang.invoke", "java.net", "java.nio", "java.util", "sun.nio.ch")
  .map(name => s"--add-opens=java.base/$name=ALL-UNNAMED")

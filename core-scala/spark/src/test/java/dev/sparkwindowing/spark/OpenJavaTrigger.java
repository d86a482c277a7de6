package dev.sparkwindowing.spark;

import dev.sparkwindowing.triggers.Trigger;
import java.util.List;
import org.apache.spark.sql.Row;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;

/** A {@link ClosedJavaTrigger} with the methods that its refusal names, and the line that it gives. */
public final class OpenJavaTrigger extends ClosedJavaTrigger {
  public OpenJavaTrigger(Trigger<Row> inner) {
    super(inner);
  }

  @Override
  public Seq<Trigger<Row>> nested() { return CollectionConverters.asScala(List.of(inner)).toSeq(); }

  @Override
  public Trigger<Row> withNested(Seq<Trigger<Row>> nested) {
    return new OpenJavaTrigger(nested.head());
  }
}

package dev.sparkwindowing.spark;

import dev.sparkwindowing.triggers.Trigger;
import dev.sparkwindowing.triggers.TriggerContext;
import dev.sparkwindowing.triggers.TriggerResult;
import dev.sparkwindowing.windows.Window;
import org.apache.spark.sql.Row;

/** Holds another trigger and does not say so. */
public class ClosedJavaTrigger implements Trigger<Row> {
  protected final Trigger<Row> inner;

  public ClosedJavaTrigger(Trigger<Row> inner) {
    this.inner = inner;
  }

  @Override
  public TriggerResult onElement(Row row, long timestamp, Window window, TriggerContext ctx) {
    return inner.onElement(row, timestamp, window, ctx);
  }

  @Override
  public TriggerResult onEventTime(long time, Window window, TriggerContext ctx) {
    return inner.onEventTime(time, window, ctx);
  }

  @Override
  public TriggerResult onProcessingTime(long time, Window window, TriggerContext ctx) {
    return inner.onProcessingTime(time, window, ctx);
  }

  @Override
  public void clear(Window window, TriggerContext ctx) {
    inner.clear(window, ctx);
  }
}

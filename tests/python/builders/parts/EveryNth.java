import dev.sparkwindowing.triggers.Trigger;
import dev.sparkwindowing.triggers.TriggerContext;
import dev.sparkwindowing.triggers.TriggerMemory;
import dev.sparkwindowing.triggers.TriggerResult;
import dev.sparkwindowing.triggers.TriggerResult.Continue$;
import dev.sparkwindowing.triggers.TriggerResult.Fire$;
import dev.sparkwindowing.windows.Window;
import org.apache.spark.sql.Row;

/** A trigger as a user writes it in Java: fires for every nth row that costs more than nothing. */
public final class EveryNth implements Trigger<Row> {
  private final long n;

  public EveryNth(long n) {
    this.n = n;
  }

  @Override
  public TriggerMemory memory() {
    return TriggerMemory.number("rows");
  }

  @Override
  public TriggerResult onElement(Row row, long timestamp, Window window, TriggerContext ctx) {
    long count = ctx.number(0) + (row.<Integer>getAs("price") > 0 ? 1 : 0);
    ctx.setNumber(0, count);
    return count % n == 0 ? Fire$.MODULE$ : Continue$.MODULE$;
  }

  @Override
  public TriggerResult onEventTime(long time, Window window, TriggerContext ctx) {
    return Continue$.MODULE$;
  }

  @Override
  public TriggerResult onProcessingTime(long time, Window window, TriggerContext ctx) {
    return Continue$.MODULE$;
  }

  @Override
  public void clear(Window window, TriggerContext ctx) {
    ctx.clearNumber(0);
  }
}

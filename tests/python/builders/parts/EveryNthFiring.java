import dev.sparkwindowing.triggers.Trigger;
import dev.sparkwindowing.triggers.TriggerContext;
import dev.sparkwindowing.triggers.TriggerMemory;
import dev.sparkwindowing.triggers.TriggerResult;
import dev.sparkwindowing.windows.Window;
import java.util.List;
import org.apache.spark.sql.Row;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;

/** Lets every n-th firing of another trigger through. */
public class EveryNthFiring implements Trigger<Row> {
  private final Trigger<Row> inner;
  private final int n;
  private final int firings;

  public EveryNthFiring(Trigger<Row> inner, int n) {
    this.inner = inner;
    this.n = n;
    this.firings = inner.memory().numbers().size();
  }

  @Override
  public TriggerMemory memory() {
    return inner.memory().$plus$plus(TriggerMemory.number("firings"));
  }

  @Override
  public Seq<Trigger<Row>> nested() {
    return CollectionConverters.asScala(List.of(inner)).toSeq();
  }

  @Override
  public Trigger<Row> withNested(Seq<Trigger<Row>> nested) {
    return new EveryNthFiring(nested.head(), n);
  }

  @Override
  public TriggerResult onElement(Row row, long timestamp, Window window, TriggerContext ctx) {
    return counted(inner.onElement(row, timestamp, window, ctx), ctx);
  }

  @Override
  public TriggerResult onEventTime(long time, Window window, TriggerContext ctx) {
    return counted(inner.onEventTime(time, window, ctx), ctx);
  }

  @Override
  public TriggerResult onProcessingTime(long time, Window window, TriggerContext ctx) {
    return counted(inner.onProcessingTime(time, window, ctx), ctx);
  }

  private TriggerResult counted(TriggerResult result, TriggerContext ctx) {
    if (!result.isFire()) return result;
    ctx.setNumber(firings, ctx.number(firings) + 1);
    return ctx.number(firings) % n == 0 ? result : TriggerResult.Continue$.MODULE$;
  }

  @Override
  public void clear(Window window, TriggerContext ctx) {
    inner.clear(window, ctx);
    ctx.clearNumber(firings);
  }
}

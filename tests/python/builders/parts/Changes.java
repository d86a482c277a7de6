import dev.sparkwindowing.codec.ValueCodec;
import dev.sparkwindowing.functions.Collector;
import dev.sparkwindowing.functions.KeyedProcessFunction;
import dev.sparkwindowing.functions.OutputTag;
import dev.sparkwindowing.functions.ValueState;
import dev.sparkwindowing.functions.ValueStateDescriptor;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;

/** Prices that are higher than the last one of their user; those of 0 go to a side output. */
public final class Changes extends KeyedProcessFunction<Row, Row, Row> {
  private final String tag;

  public Changes(String tag) {
    this.tag = tag;
  }

  @Override
  public void processElement(Row row, KeyedProcessFunction.Context<Row> context, Collector<Row> out) {
    ValueState<String> last = context.state().getState(new ValueStateDescriptor<>("last", ValueCodec.string()));
    int price = row.<Integer>getAs("price");
    if (price == 0) context.output(new OutputTag<Row>(tag), RowFactory.create(context.currentKey().getString(0)));
    int before = last.value().isDefined() ? Integer.parseInt(last.value().get()) : 0;
    if (price > before) out.collect(RowFactory.create(price));
    last.update(Integer.toString(price));
  }
}

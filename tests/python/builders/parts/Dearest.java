import dev.sparkwindowing.functions.ReduceFunction;
import org.apache.spark.sql.Row;

/** The row with the highest price. */
public final class Dearest implements ReduceFunction {
  @Override
  public Row reduce(Row kept, Row row) {
    return kept.getInt(1) < row.getInt(1) ? row : kept;
  }

  @Override
  public boolean isMergeable() { return true; }

  @Override
  public String toString() {
    return "Dearest";
  }
}

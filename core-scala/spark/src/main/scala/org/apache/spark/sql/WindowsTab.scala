package org.apache.spark.sql

import dev.sparkwindowing.spark.relocated.Relocated.HttpServletRequest
import org.apache.spark.SparkContext
import org.apache.spark.ui.{SparkUI, SparkUITab, WebUIPage}

import scala.xml.{Elem, MetaData, Node, Null, Text, TopScope, UnprefixedAttribute}

/** Tab of Spark's UI with tables. What it extends is private to Spark's packages. */
final class WindowsTab private (ui: SparkUI, tables: () => Seq[WindowsTab.Table])
    extends SparkUITab(ui, WindowsTab.Prefix) {
  attachPage(new WindowsPage(this, tables))
}

object WindowsTab {
  private val Prefix = "windows"

  /** @param rows
    *   a text for each column
    */
  final case class Table(title: String, columns: Seq[String], rows: Seq[Seq[String]])

  /** Adds the tab to the UI of an application that has a UI and no such tab. */
  def attach(context: SparkContext, tables: () => Seq[Table]): Unit = context.ui.foreach { ui =>
    ui.synchronized {
      if (!ui.getTabs.exists(_.prefix == Prefix)) ui.attachTab(new WindowsTab(ui, tables))
    }
  }
}

private final class WindowsPage(tab: SparkUITab, tables: () => Seq[WindowsTab.Table]) extends WebUIPage("") {
  import WindowsPage._

  override def render(request: HttpServletRequest): Seq[Node] = {
    val content   = () => tables().flatMap(drawn)
    val arguments = Seq[AnyRef](request, "Windows of running queries", content, tab, None)
    val flags     = Seq.fill(Framed.getParameterCount - arguments.size)(java.lang.Boolean.FALSE)
    Framed.invoke(null, arguments ++ flags: _*).asInstanceOf[Seq[Node]]
  }

  private def drawn(table: WindowsTab.Table): Seq[Node] = {
    def cells(label: String, texts: Seq[String]) = element("tr")(texts.map(text => element(label)(Seq(Text(text)))))
    val head                                     = element("thead")(Seq(cells("th", table.columns)))
    val body                                     = element("tbody")(table.rows.map(cells("td", _)))
    Seq(element("h4")(Seq(Text(table.title))), element("table", Style)(Seq(head, body)))
  }

  private def element(label: String, attributes: MetaData = Null)(content: Seq[Node]): Node =
    Elem(null, label, attributes, TopScope, minimizeEmpty = false, content: _*)
}

private object WindowsPage {
  private val Style = new UnprefixedAttribute("class", "table table-bordered table-sm table-striped", Null)

  // A page in Spark's frame. Spark 4.2 has a flag more than others.
  private lazy val Framed =
    Class
      .forName("org.apache.spark.ui.UIUtils")
      .getMethods
      .filter(_.getName == "headerSparkPage")
      .maxBy(_.getParameterCount)
}

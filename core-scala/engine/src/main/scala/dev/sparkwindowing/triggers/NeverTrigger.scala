package dev.sparkwindowing.triggers

import dev.sparkwindowing.declaration.{Forgettable, PartSpec, Spec}
import dev.sparkwindowing.triggers.TriggerResult.Continue
import dev.sparkwindowing.windows.Window

/** Never fires. The default trigger of the global window. */
final case class NeverTrigger private () extends Trigger[Any] {
  def onElement(element: Any, timestamp: Long, window: Window, ctx: TriggerContext): TriggerResult = Continue
  def onEventTime(time: Long, window: Window, ctx: TriggerContext): TriggerResult                  = Continue
  def onProcessingTime(time: Long, window: Window, ctx: TriggerContext): TriggerResult             = Continue
  def clear(window: Window, ctx: TriggerContext): Unit                                             = ()

  override def spec: Spec = PartSpec("NeverTrigger", forgettable = Some(Forgettable(0)))
}

object NeverTrigger {
  def create(): NeverTrigger = new NeverTrigger()
}

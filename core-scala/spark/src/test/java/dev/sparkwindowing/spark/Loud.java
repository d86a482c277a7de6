package dev.sparkwindowing.spark;

/** No part of a window; says so if anything of it runs. */
public final class Loud {
  static {
    System.setProperty("loud", "ran");
  }
}

extension Duration {
  /// Takes any number of seconds, such as an app's limit that is meant to be none: a negative one, and what is no
  /// number, is none; infinity is a hundred years.
  package init(clampingSeconds seconds: Double) {
    self = .seconds(seconds > 0 ? min(seconds, 100 * 365 * 86_400) : 0)
  }
}

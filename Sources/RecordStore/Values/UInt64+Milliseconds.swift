extension UInt64 {
  /// Takes any number of seconds as an age in milliseconds. A negative one is none. Infinity is more than the age of
  /// anything, and so is what is no number: it must not let anything be forgotten.
  package init(millisecondsOf seconds: Double) {
    self = seconds.isNaN ? .max : UInt64(Swift.min(Swift.max(0, seconds * 1000), 0x1p62))
  }
}

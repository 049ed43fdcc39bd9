import Foundation

/// How much those tests do that play random histories or measure memory: little by default, and much in the long form.
///
/// `tools/test --long` sets `TANDEM_LONG_TESTS=1` in the environment, which asks for the long form.
public enum TestLength {
  public static let isLong = ProcessInfo.processInfo.environment["TANDEM_LONG_TESTS"] == "1"
}

import Foundation

/// How much those tests do that play random histories or measure memory: little by default, and much in the long form.
///
/// `tools/test --long` sets `TANDEM_LONG_TESTS=1` in the environment, which asks for the long form.
public enum TestLength {
  public static let isLong = ProcessInfo.processInfo.environment["TANDEM_LONG_TESTS"] == "1"

  /// After so long a test that waits for something hangs.
  ///
  /// A limit of a minute was exceeded by a test that takes a second: it has to get its turn between tests that keep
  /// both threads of a small machine for minutes.
  public static let minutesUntilHung = 20
}

import Dispatch

/// Times on a clock that all processes of the machine share and that never jumps.
enum Stopwatch {
  /// Nanoseconds since the machine started.
  static func now() -> UInt64 { DispatchTime.now().uptimeNanoseconds }

  /// Seconds that `body` takes.
  static func seconds<Result>(_ body: () throws -> Result) rethrows -> (Double, Result) {
    let start = now()
    let result = try body()
    return (Double(now() - start) / 1e9, result)
  }
}

import Foundation

/// How soon a head may follow the last one.
///
/// A watch sets it for its runs. The engines that such a run makes are many, and know nothing of each other.
enum HeadPace {
  /// Nil: at once.
  @TaskLocal static var interval: Duration?

  /// Whether a head that tells nothing but progress has to wait.
  static func holdsBack(_ head: ReplicaHead, behind last: ReplicaHead, in file: URL) -> Bool {
    guard let interval, head.tellsOnlyProgress(since: last), let written = FileSignature.of(file)?.written else {
      return false
    }
    // A clock that was set back holds nothing back.
    let age = Date().timeIntervalSince1970 - written
    return age >= 0 && age < interval / .seconds(1)
  }
}

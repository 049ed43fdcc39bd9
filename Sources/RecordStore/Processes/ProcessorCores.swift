import Foundation
import LMDB

/// The processor cores that this process may use.
package enum ProcessorCores {
  static var count: Int { ProcessInfo.processInfo.activeProcessorCount }

  /// The number of threads that share a work well, this one included: one for each core, and this one alone where
  /// others want the cores. At most eight, for they share the memory's speed.
  package static var shares: Int {
    let count = min(count, 8)
    return count > 1 && !areContended ? count : 1
  }

  /// Whether more threads want a core just now than there are; false where the system does not say.
  static var areContended: Bool {
    // "0.27 0.31 0.30 2/113 4711": two of 113 threads run or wait for a core, this one among them.
    let fields = SystemFile.lines(of: "/proc/loadavg").first?.split(separator: " ") ?? []
    guard fields.count > 3, let running = Int(fields[3].prefix { $0 != "/" }) else { return false }
    return running > count
  }
}

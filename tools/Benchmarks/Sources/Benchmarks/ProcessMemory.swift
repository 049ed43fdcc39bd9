import Foundation

/// The kernel's notes of this process's memory.
enum ProcessMemory {
  /// A line of `/proc/self/status`: `VmHWM:` the most pages that were resident, `RssAnon:` those that are no file's.
  static func bytes(_ name: String) throws -> Int {
    let status = try String(contentsOf: URL(filePath: "/proc/self/status"), encoding: .utf8)
    let line = status.split(separator: "\n").first { $0.hasPrefix(name) }
    guard let kilobytes = line?.split(separator: " ").compactMap({ Int($0) }).first else {
      throw BenchmarkError("the kernel does not tell how much memory was used")
    }
    return kilobytes << 10
  }
}

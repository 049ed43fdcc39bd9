import Foundation

/// Writes to a file's content sector by sector. Uses pointers, for a long campaign copies terabytes.
enum Sectors {
  private static let bytes = 512

  /// Copies those sectors of a write that survive, in runs.
  static func copy(
    _ log: [UInt8], _ range: Range<Int>, to offset: Int, in content: inout [UInt8], _ survives: () -> Bool
  ) {
    var start = 0
    var run: Range<Int>?
    while start < range.count {
      let end = min(start + bytes - (offset + start) % bytes, range.count)
      if survives() {
        run = (run?.lowerBound ?? start)..<end
      } else if let kept = run {
        write(log, range.lowerBound + kept.lowerBound, kept.count, to: offset + kept.lowerBound, in: &content)
        run = nil
      }
      start = end
    }
    guard let kept = run else { return }
    write(log, range.lowerBound + kept.lowerBound, kept.count, to: offset + kept.lowerBound, in: &content)
  }

  /// Zeros where it grows.
  static func resize(_ content: inout [UInt8], to count: Int) {
    if count <= content.count { return content.removeLast(content.count - count) }
    let old = content
    content = [UInt8](unsafeUninitializedCapacity: count) { place, filled in
      if let start = place.baseAddress {
        old.withUnsafeBytes { if let from = $0.baseAddress { memcpy(start, from, old.count) } }
        memset(start + old.count, 0, count - old.count)
      }
      filled = count
    }
  }

  private static func write(_ log: [UInt8], _ from: Int, _ count: Int, to offset: Int, in content: inout [UInt8]) {
    if content.count < offset + count { resize(&content, to: offset + count) }
    log.withUnsafeBytes { source in
      content.withUnsafeMutableBytes { target in
        guard let source = source.baseAddress, let target = target.baseAddress else { return }
        memcpy(target + offset, source + from, count)
      }
    }
  }
}

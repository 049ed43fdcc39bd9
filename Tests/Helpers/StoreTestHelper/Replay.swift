import Foundation

/// Rebuilds the files that a power cut could leave.
///
/// The model of the disk: what was written before the last flush is there. Of each later write every 512-byte sector
/// is there or not, on its own; in some images none, in some all. The length of the file may have reached the disk or
/// not. A file that got its place may be found where it was made until its directory has been flushed. That is more
/// than disks usually do to a program, and nothing less than they may.
struct Replay {
  struct Image {
    var bytes: [UInt8]
    /// Whether the file is found at its place, and not where it was made.
    var isInPlace: Bool
    /// The last save that the program was told is safe; -1 before the store was created.
    var acknowledged: Int64
    var begun: Int64
  }

  struct Outcome {
    var images = 0
    var lostWrites = 0
    var failures: [String] = []
  }

  private enum Fate: CaseIterable { case none, all, half, most }
  private static let sectorBytes = 512

  private let log: WriteLog
  private var random: SplitMix
  /// What is safe on the disk so far.
  private var durable: [UInt8] = []
  private var pending: [(offset: Int, bytes: Range<Int>)] = []
  private var length = 0
  private var acknowledged: Int64 = -1
  private var begun: Int64 = -1
  private var isRenamed = false
  private var isRenameDurable = false

  init(log: WriteLog, seed: UInt64) {
    self.log = log
    random = SplitMix(state: seed)
  }

  /// Cuts at that many random places; `check` says what is wrong with an image, or nil.
  mutating func run(images: Int, _ check: (Image) throws -> String?) throws -> Outcome {
    guard !log.entries.isEmpty else { throw Failure("the log is empty") }
    let cuts = (0..<images).map { _ in Int.random(in: 0...log.entries.count, using: &random) }.sorted()
    var outcome = Outcome()
    var position = 0
    for cut in cuts {
      while position < cut {
        advance(over: log.entries[position])
        position += 1
      }
      let image = makeImage(&outcome)
      outcome.images += 1
      if let failure = try check(image) { outcome.failures.append("cut at entry \(cut): \(failure)") }
    }
    return outcome
  }

  private mutating func advance(over entry: WriteLog.Entry) {
    switch entry {
    case .write(let offset, let bytes):
      pending.append((offset, bytes))
      length = max(length, offset + bytes.count)
    case .truncate(let newLength): length = newLength
    case .begun(let save): begun = save
    case .saved(let save): acknowledged = save
    case .rename: isRenamed = true
    case .flushFolder: isRenameDurable = isRenamed
    case .flush:
      for write in pending { Self.copy(log.content[write.bytes], to: write.offset, in: &durable) }
      pending.removeAll()
      Self.resize(&durable, to: length)
    }
  }

  private mutating func makeImage(_ outcome: inout Outcome) -> Image {
    var bytes = durable
    let fate = Fate.allCases.randomElement(using: &random) ?? .all
    var hasLost = false
    for write in pending {
      var start = 0
      while start < write.bytes.count {
        let sector = Self.sectorBytes - (write.offset + start) % Self.sectorBytes
        let end = min(start + sector, write.bytes.count)
        if survives(fate) {
          let part = log.content[write.bytes.lowerBound + start..<write.bytes.lowerBound + end]
          Self.copy(part, to: write.offset + start, in: &bytes)
        } else {
          hasLost = true
        }
        start = end
      }
    }
    if hasLost { outcome.lostWrites += 1 }
    if bytes.count < length, Bool.random(using: &random) { Self.resize(&bytes, to: length) }
    let isInPlace = isRenameDurable || isRenamed && Bool.random(using: &random)
    return Image(bytes: bytes, isInPlace: isInPlace, acknowledged: acknowledged, begun: begun)
  }

  private mutating func survives(_ fate: Fate) -> Bool {
    switch fate {
    case .none: false
    case .all: true
    case .half: Bool.random(using: &random)
    case .most: Int.random(in: 0..<10, using: &random) != 0
    }
  }

  private static func copy(_ source: Data, to offset: Int, in bytes: inout [UInt8]) {
    if bytes.count < offset + source.count { resize(&bytes, to: offset + source.count) }
    bytes.replaceSubrange(offset..<offset + source.count, with: source)
  }

  private static func resize(_ bytes: inout [UInt8], to count: Int) {
    if count < bytes.count {
      bytes.removeLast(bytes.count - count)
    } else {
      bytes.append(contentsOf: repeatElement(0, count: count - bytes.count))
    }
  }
}

/// SplitMix64: the same images again for the same seed.
struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = (state ^ state >> 30) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
    return mixed ^ mixed >> 31
  }
}

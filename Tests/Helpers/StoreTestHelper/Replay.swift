import Foundation

/// Rebuilds the files that a power cut could leave.
///
/// The model of the disk: what was written to a file before its last flush is there. Of each later write every 512-byte
/// sector is there or not, on its own; in some images none, in some all. The length of a file may have reached the disk
/// or not. A data file that got its place may be found where it was made, and a redo log may have no name, until the
/// directory has been flushed. That is more than disks usually do to a program, and nothing less than they may.
struct Replay {
  struct Image {
    var data: [UInt8]
    /// Nil where the file has no name.
    var redoLog: [UInt8]?
    /// Whether the data file is found at its place, and not where it was made.
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
  private var data = File()
  private var redoLog = File()
  private var acknowledged: Int64 = -1
  private var begun: Int64 = -1
  private var isRenamed = false
  private var isRenameDurable = false
  private var isRedoLogNamed = false

  private struct File {
    /// What is safe on the disk so far.
    var durable: [UInt8] = []
    var pending: [(offset: Int, bytes: Range<Int>)] = []
    var length = 0

    mutating func flush(_ content: Data) {
      for write in pending { Replay.copy(content[write.bytes], to: write.offset, in: &durable) }
      pending.removeAll()
      Replay.resize(&durable, to: length)
    }
  }

  init(log: WriteLog, seed: UInt64) {
    self.log = log
    random = SplitMix(state: seed)
  }

  /// Of a program that began with the files of an image.
  init(log: WriteLog, seed: UInt64, from image: Image) {
    self.init(log: log, seed: seed)
    data = File(durable: image.data, length: image.data.count)
    redoLog = File(durable: image.redoLog ?? [], length: image.redoLog?.count ?? 0)
    (acknowledged, begun) = (image.acknowledged, image.begun)
    (isRenamed, isRenameDurable, isRedoLogNamed) = (image.isInPlace, image.isInPlace, image.redoLog != nil)
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
    case .write(let file, let offset, let bytes):
      self[file].pending.append((offset, bytes))
      self[file].length = max(self[file].length, offset + bytes.count)
    case .truncate(let file, let length): self[file].length = length
    case .begun(let save): begun = save
    case .saved(let save): acknowledged = save
    case .rename: isRenamed = true
    case .flushFolder:
      isRenameDurable = isRenamed
      if redoLog.length > 0 { isRedoLogNamed = true }
    case .flush(let file):
      let content = log.content
      self[file].flush(content)
    }
  }

  private subscript(file: WriteLog.File) -> File {
    get { file == .data ? data : redoLog }
    _modify {
      switch file {
      case .data: yield &data
      case .redoLog: yield &redoLog
      }
    }
  }

  private mutating func makeImage(_ outcome: inout Outcome) -> Image {
    var hasLost = false
    let data = bytes(of: data, &hasLost)
    let redoLog = bytes(of: redoLog, &hasLost)
    if hasLost { outcome.lostWrites += 1 }
    let isInPlace = isRenameDurable || isRenamed && Bool.random(using: &random)
    let isNamed = isRedoLogNamed || isInPlace && Bool.random(using: &random)
    return Image(
      data: data, redoLog: isNamed ? redoLog : nil, isInPlace: isInPlace, acknowledged: acknowledged, begun: begun)
  }

  private mutating func bytes(of file: File, _ hasLost: inout Bool) -> [UInt8] {
    var bytes = file.durable
    let fate = Fate.allCases.randomElement(using: &random) ?? .all
    for write in file.pending {
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
    if bytes.count < file.length, Bool.random(using: &random) { Self.resize(&bytes, to: file.length) }
    return bytes
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

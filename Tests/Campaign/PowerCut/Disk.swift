/// Rebuilds from a log of calls the folder that a power cut, or a failing device, leaves.
///
/// 1. What was written to a file before a flush of it began is there once the flush has ended.
/// 2. Of each later write every 512-byte sector is there or not, on its own: in some images none, in some all. A
///    length that was set, or grew, is there or not.
/// 3. What a flush that failed should have brought is there or not as well, and no later flush brings it: the system
///    forgets such pages.
/// 4. Names (new files and folders, renames, removals) come to the disk in their order, and up to the last one in a
///    folder once the folder was flushed; what is after that up to any place. A flush of a file brings no name.
///
/// That is more than disks and file systems usually do to a program, and nothing less than they may.
struct Disk: Sendable {
  private struct Node: Sendable {
    /// What is safe.
    var durable: [UInt8] = []
    var pending: [Change] = []
    /// The count of all changes so far, at the beginning of each flush that has not ended.
    var flushes: [Int64: Int] = [:]
    /// Changes that are no longer pending.
    var settled = 0
  }

  private enum Change: Sendable {
    case write(offset: Int, bytes: Range<Int>)
    case length(Int)
  }

  private enum NameChange: Sendable {
    case file(String, Int)
    case folder(String)
    case rename(String, String)
    case remove(String)
  }

  enum Fate: CaseIterable, Sendable { case none, all, half, most }

  private let log: CallLog
  private var random: SplitMix
  private var nodes: [Node] = []
  /// The present node of an inode: numbers are used again.
  private var node: [UInt64: Int] = [:]
  private var names = Names()
  private var pendingNames: [NameChange] = []
  private(set) var position = 0
  private(set) var begun: [Int64: Int64] = [:]
  private(set) var saved: [Int64: Int64] = [:]

  init(log: CallLog, seed: UInt64) {
    self.log = log
    random = SplitMix(state: seed)
  }

  /// Another image of the same place.
  mutating func reseed(_ seed: UInt64) { random = SplitMix(state: seed) }

  /// Up to an entry of the log, or to its end.
  mutating func advance(to end: Int) {
    while position < min(end, log.entries.count) {
      take(log.entries[position])
      position += 1
    }
  }

  private mutating func take(_ entry: CallLog.Entry) {
    switch entry {
    case .create(let file, let path):
      node[file] = nodes.count
      pendingNames.append(.file(path, nodes.count))
      nodes.append(Node())
    case .write(let file, let offset, let bytes): add(.write(offset: offset, bytes: bytes), to: file)
    case .truncate(let file, let length): add(.length(length), to: file)
    case .flushBegun(let file, let serial):
      guard let index = node[file] else { return }
      nodes[index].flushes[serial] = nodes[index].settled + nodes[index].pending.count
    case .flushEnded(let file, let serial):
      guard let index = node[file], let end = nodes[index].flushes.removeValue(forKey: serial) else { return }
      settle(index, count: end - nodes[index].settled) { _ in true }
    case .flushFailed(let file): lose(file)
    case .rename(let from, let to): pendingNames.append(.rename(from, to))
    case .remove(let path): pendingNames.append(.remove(path))
    case .makeFolder(let path): pendingNames.append(.folder(path))
    case .flushFolder(let path): flushNames(in: path)
    case .begun(let writer, let save): begun[writer] = save
    case .saved(let writer, let save): saved[writer] = save
    }
  }

  private mutating func add(_ change: Change, to file: UInt64) {
    if let index = node[file] { nodes[index].pending.append(change) }
  }

  /// Of what a failing flush loses, anything may have reached the device.
  private mutating func lose(_ file: UInt64) {
    guard let index = node[file] else { return }
    let fate = Fate.allCases.randomElement(using: &random) ?? .none
    var random = random
    settle(index, count: nodes[index].pending.count) { _ in Self.survives(fate, &random) }
    self.random = random
  }

  private mutating func settle(_ index: Int, count: Int, _ survives: (Change) -> Bool) {
    guard count > 0 else { return }
    // A write that is lost in part is lost in whole sectors.
    for change in nodes[index].pending.prefix(count) {
      apply(change, to: &nodes[index].durable) { survives(change) }
    }
    nodes[index].pending.removeFirst(count)
    nodes[index].settled += count
  }

  private mutating func flushNames(in folder: String) {
    guard let last = pendingNames.lastIndex(where: { Self.concerns($0, folder) }) else { return }
    for change in pendingNames[...last] { names.apply(change) }
    pendingNames.removeFirst(last + 1)
  }

  private static func concerns(_ change: NameChange, _ folder: String) -> Bool {
    switch change {
    case .file(let path, _), .folder(let path), .remove(let path): Names.parent(of: path) == folder
    case .rename(let from, let to): Names.parent(of: from) == folder || Names.parent(of: to) == folder
    }
  }
}

// Images.
extension Disk {
  /// What a cut here can leave, one of many. True in `hasLost` if something is not there.
  mutating func cut() -> (image: DiskImage, hasLost: Bool) {
    var names = names
    let kept = pendingNames.isEmpty ? 0 : Int.random(in: 0...pendingNames.count, using: &random)
    for change in pendingNames.prefix(kept) { names.apply(change) }
    var hasLost = kept < pendingNames.count
    var image = DiskImage(folders: names.folders)
    for (path, index) in names.files.sorted(by: { $0.key < $1.key }) {
      image.files.append((path, index, content(of: index, &hasLost)))
    }
    return (image, hasLost)
  }

  /// What is there after everything that was still pending has reached the device: only what a flush lost is not.
  mutating func remounted() -> DiskImage {
    var names = names
    for change in pendingNames { names.apply(change) }
    var image = DiskImage(folders: names.folders)
    for (path, index) in names.files.sorted(by: { $0.key < $1.key }) {
      var bytes = nodes[index].durable
      for change in nodes[index].pending { apply(change, to: &bytes) { true } }
      image.files.append((path, index, bytes))
    }
    return image
  }

  private mutating func content(of index: Int, _ hasLost: inout Bool) -> [UInt8] {
    var bytes = nodes[index].durable
    let fate = Fate.allCases.randomElement(using: &random) ?? .all
    var random = random
    var lost = false
    for change in nodes[index].pending {
      apply(change, to: &bytes) {
        let survives = Self.survives(fate, &random)
        if !survives { lost = true }
        return survives
      }
    }
    self.random = random
    hasLost = hasLost || lost
    let length = length(of: index)
    if bytes.count < length, Bool.random(using: &self.random) {
      Sectors.resize(&bytes, to: length)
    }
    return bytes
  }

  /// With all that is pending.
  private func length(of index: Int) -> Int {
    nodes[index].pending.reduce(nodes[index].durable.count) { length, change in
      switch change {
      case .write(let offset, let bytes): max(length, offset + bytes.count)
      case .length(let length): length
      }
    }
  }

  private static func survives(_ fate: Fate, _ random: inout SplitMix) -> Bool {
    switch fate {
    case .none: false
    case .all: true
    case .half: Bool.random(using: &random)
    case .most: Int.random(in: 0..<10, using: &random) != 0
    }
  }

  /// Asks once for each sector of a write, and once for a length.
  private func apply(_ change: Change, to content: inout [UInt8], _ survives: () -> Bool) {
    switch change {
    case .length(let length): if survives() { Sectors.resize(&content, to: length) }
    case .write(let offset, let bytes): Sectors.copy(log.content, bytes, to: offset, in: &content, survives)
    }
  }

  /// Paths and what they name.
  private struct Names: Sendable {
    var files: [String: Int] = [:]
    var folders: Set<String> = []

    static func parent(of path: String) -> String {
      path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
    }

    mutating func apply(_ change: NameChange) {
      switch change {
      case .file(let path, let index): files[path] = index
      case .folder(let path): folders.insert(path)
      case .remove(let path):
        files[path] = nil
        folders.remove(path)
      case .rename(let from, let to): rename(from, to)
      }
    }

    private mutating func rename(_ from: String, _ to: String) {
      if let index = files.removeValue(forKey: from) { files[to] = index }
      guard folders.remove(from) != nil else { return }
      folders.insert(to)
      for (path, index) in files where path.hasPrefix(from + "/") {
        files[path] = nil
        files[to + path.dropFirst(from.count)] = index
      }
      for path in folders where path.hasPrefix(from + "/") {
        folders.remove(path)
        folders.insert(to + path.dropFirst(from.count))
      }
    }
  }
}

import Foundation
import RecordStore

/// The same through a block device: a real ext4 on a disk whose writes and flushes are logged, mounted again from each
/// image, so that what the file system makes of a cut is seen as well.
struct BlockPowerCut {
  let seed: UInt64
  let images: Int
  let saves: Int
  let library: CallsLibrary

  private static let diskBytes = 24 << 20
  /// How long a process that has answered may take to let go of what it had open.
  private static let releaseSeconds = 30.0

  /// `each` gets the number of an image and what is wrong with it, if anything is. Throws ``EnvironmentCase/Skip``
  /// where the machine does not allow such disks.
  func run(_ each: (Int, String?) -> Void) throws {
    try Workplace.current.withFolder("block") { folder in
      let program = folder.appendingPathComponent("log-disk").path
      try FuseDisk.compile(to: program)
      let image = folder.appendingPathComponent("disk.image").path
      try Data(count: Self.diskBytes).write(to: URL(fileURLWithPath: image))
      try system("mkfs.ext4", "-q", "-F", image)
      let log = folder.appendingPathComponent("log")
      try record(folder, program, image, log)
      try replay(folder, try CallLog(contentsOf: log), each)
    }
  }

  private func record(_ folder: URL, _ program: String, _ image: String, _ log: URL) throws {
    let (fuse, disk) = (folder.appendingPathComponent("fuse"), folder.appendingPathComponent("disk"))
    for place in [fuse, disk] {
      try FileManager.default.createDirectory(at: place, withIntermediateDirectories: false)
    }
    try FuseDisk.lend(program: program, at: fuse, image: image, log: log.path) {
      try mount(["-o", "loop", fuse.appendingPathComponent("disk").path], at: disk) {
        let place = disk.appendingPathComponent("place")
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: false)
        // Only its marks: what it does to files is seen below the file system.
        let elsewhere = folder.appendingPathComponent("elsewhere")
        let work = try Child(
          Command.work("power-cut", place, seed, "\(saves)", "full"),
          environment: library.environment(folder: elsewhere, ["CAMPAIGN_LOG": log.path]))
        let said = try work.lines(within: 300)
        guard try work.finish() == .exit(0) else {
          throw Trouble("the run on a disk failed: \(said.last ?? "") \(work.trouble)")
        }
      }
    }
  }

  private func replay(_ folder: URL, _ log: CallLog, _ each: (Int, String?) -> Void) throws {
    // From the first mark on: before it, the file system makes itself at home.
    let first = log.entries.firstIndex { if case .begun = $0 { true } else { false } } ?? 0
    var random = SplitMix(state: seed)
    let cuts = (0..<images).map { _ in Int.random(in: first...log.entries.count, using: &random) }.sorted()
    var disk = Disk(log: log, seed: seed)
    let auditor = AuditorProcess()
    let (image, place) = (folder.appendingPathComponent("cut.image"), folder.appendingPathComponent("cut"))
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: false)
    for (number, cut) in cuts.enumerated() where !Workplace.current.isEnding {
      disk.advance(to: cut)
      guard let content = disk.cut().image.files.first?.content else { throw Trouble("there is no disk in the log") }
      try Data(content).write(to: image)
      var wrong: String?
      do {
        try mount(["-o", "loop", image.path], at: place) {
          wrong = try look(place.appendingPathComponent("place"), disk, auditor)
        }
      } catch let skip as EnvironmentCase.Skip {
        wrong = "the file system is not mounted again: \(skip.reason)"
      }
      each(number, wrong.map { "cut at entry \(cut) of \(log.entries.count): \($0)" })
    }
  }

  private func look(_ place: URL, _ disk: Disk, _ auditor: AuditorProcess) throws -> String? {
    guard FileManager.default.fileExists(atPath: place.path) else {
      return disk.saved[1] == nil ? nil : "the folder is lost"
    }
    let answer = try auditor.ask(place, seed, "store")
    if let wrong = answer.wrong { return wrong }
    for (writer, save) in disk.saved where writer != PowerCutWork.exports {
      let found = answer.saves[writer] ?? 0
      if found < save { return "save \(save) of writer \(writer) was acknowledged and is lost: \(answer.line)" }
      if found > (disk.begun[writer] ?? 0) { return "save \(found) of writer \(writer) was never begun" }
    }
    guard disk.saved[PowerCutWork.exports] != nil else { return nil }
    return try auditor.ask(place, seed, "exchange").wrong
  }

  private func mount(_ options: [String], at place: URL, _ body: () throws -> Void) throws {
    try system(["mount"] + options + [place.path])
    Workplace.current.mounted(place.path)
    let outcome = Result { try body() }
    let trouble = unmount(place)
    Workplace.current.unmounted(place.path)
    try outcome.get()
    if let trouble { throw Trouble("the disk at \(place.path) was not taken off its place: \(trouble)") }
  }

  /// Nil once it is done. A process can answer a moment before its last task has let go of a store, so a disk in use is
  /// waited for. A campaign that is ended has taken it off itself.
  private func unmount(_ place: URL) -> String? {
    let end = Date(timeIntervalSinceNow: Self.releaseSeconds)
    while umount2(place.path, 0) != 0 {
      let code = errno
      if Workplace.current.isEnding { return nil }
      guard code == EBUSY, Date() < end else {
        umount2(place.path, Int32(MNT_DETACH))
        return String(cString: strerror(code))
      }
      usleep(1_000)
    }
    return nil
  }

  private func system(_ words: String...) throws { try system(words) }

  private func system(_ words: [String]) throws {
    let process = try Child(["/usr/bin/env"] + words)
    guard try process.finish() == .exit(0) else {
      throw EnvironmentCase.Skip("`\(words.joined(separator: " "))` says: \(process.trouble)")
    }
  }
}

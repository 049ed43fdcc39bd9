import Foundation

/// One image, checked in a process of its own: what kills that process is a finding, too.
enum HelperRun {
  static func check(_ image: Replay.Image, seed: Int64) throws -> String? {
    let directory = workplace.appendingPathComponent("power-cut-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
    let outcome = Result { try check(image, in: directory, seed: seed) }
    try FileManager.default.removeItem(at: directory)
    return try outcome.get()
  }

  /// In memory where possible: the images are thrown away, and their flushes need no device.
  private static var workplace: URL {
    let memory = URL(fileURLWithPath: "/dev/shm", isDirectory: true)
    let isThere = FileManager.default.isWritableFile(atPath: memory.path)
    return isThere ? memory : FileManager.default.temporaryDirectory
  }

  private static func check(_ image: Replay.Image, in directory: URL, seed: Int64) throws -> String? {
    let folder = image.isInPlace ? directory : directory.appendingPathComponent("creating")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Data(image.bytes).write(to: folder.appendingPathComponent("data.mdb"))
    let process = Process()
    let trouble = Pipe()
    process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    process.arguments = ["check-power-cut", directory.path, "\(seed)", "\(image.acknowledged)", "\(image.begun)"]
    process.standardError = trouble
    try process.run()
    let text = String(decoding: try trouble.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    process.waitUntilExit()
    if process.terminationReason == .exit, process.terminationStatus == 0 { return nil }
    let end = process.terminationReason == .exit ? "code" : "signal"
    return "\(end) \(process.terminationStatus), acknowledged \(image.acknowledged), begun \(image.begun): "
      + text.trimmingCharacters(in: .whitespacesAndNewlines)
  }
}

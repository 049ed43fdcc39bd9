import Foundation
import HelperProcess
import Tandem
import Testing

/// The commands that README and articles show are run, in the order in which they stand, and say what is promised.
struct ConsoleTests {
  private static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// Texts with commands, and what is there before the first one.
  private static let texts: [String: @Sendable (URL) throws -> Void] = [
    "Sources/Tandem/Tandem.docc/Backups.md": makeDiary,
    "Sources/Tandem/Tandem.docc/Deploying.md": makeBooks,
    "Sources/Tandem/Tandem.docc/ImportingAndExporting.md": makeReceipts,
    "Sources/Tandem/Tandem.docc/KeepingSettings.md": { _ in },
    "Sources/Tandem/Tandem.docc/Synchronising.md": makeDevices,
    "Sources/CommandLineTool/CommandLineTool.docc/CommandLineTool.md": makeCompletionFolders,
    "Sources/RecordSync/RecordSync.docc/Sharing.md": makeDevices,
  ]

  @Test func `every article with commands is played`() throws {
    let enumerator = FileManager.default.enumerator(
      at: Self.root.appending(path: "Sources"), includingPropertiesForKeys: nil)
    var found: Set<String> = []
    for case let url as URL in try #require(enumerator) where url.pathExtension == "md" {
      guard try !ConsoleStep.steps(of: String(contentsOf: url, encoding: .utf8)).isEmpty else { continue }
      found.insert(String(url.path.dropFirst(Self.root.path.count + 1)))
    }
    #expect(found == Set(Self.texts.keys))
  }

  @Test func `a promise is kept by equal lines, whatever their numbers, and by no others`() {
    func isKept(_ promised: String..., by lines: String...) -> Bool {
      ConsoleStep(command: "", promised: promised).isKept(by: lines)
    }
    #expect(isKept("7 records", by: "12 records") && isKept("a … c", by: "a b c") && isKept("…", by: "a", "b"))
    #expect(isKept("…", "end", by: "a", "end") && isKept(by: "anything"))
    #expect(!isKept("7 records", by: "7 rows") && !isKept("a … c", by: "a b d") && !isKept("a", by: "a", "b"))
    #expect(!isKept("a", by: "") && !isKept("…", "end", by: "a") && !isKept("a…a", by: "a"))
  }

  @Test(arguments: texts.keys.sorted()) func `the commands of an article do what it says`(path: String) async throws {
    try await withFolder { folder in
      try Self.texts[path]?(folder)
      let text = try String(contentsOf: Self.root.appending(path: path), encoding: .utf8)
      for step in ConsoleStep.steps(of: text) { try play(step, in: folder) }
    }
  }

  /// The README's other story is played by `ReadmeStoryTests`, which kills one of its commands.
  @Test(arguments: [
    ("Key-value in a minute", 5), ("The tools by examples", 6), ("Records for other programs", 5),
    ("Looking and changing by hand", 5),
  ])
  func `the commands of the README do what it says`(title: String, leastSteps: Int) async throws {
    try await withFolder { folder in
      try FileManager.default.createSymbolicLink(
        at: folder.appending(path: "SyncFixtures"), withDestinationURL: Self.root.appending(path: "SyncFixtures"))
      let text = try String(contentsOf: Self.root.appending(path: "README.md"), encoding: .utf8)
      let section = text.components(separatedBy: "\n## ").first { $0.hasPrefix(title) }
      let steps = ConsoleStep.steps(of: try #require(section))
      #expect(steps.count >= leastSteps)
      for step in steps { try play(step, in: folder) }
    }
  }

  /// Places that a machine may not have lie in the folder.
  private static let places = ["/media/stick", "/data/", "/backup/"]

  private func play(_ step: ConsoleStep, in folder: URL) throws {
    // What is built already need not be built again.
    var command = step.command.replacing("swift run ", with: "")
    let isEndless = command.hasSuffix("# until Ctrl-C")
    // In the shell's place, so that the signal reaches it.
    if isEndless { command = "exec \(command)" }
    for place in Self.places { command = command.replacing(" \(place)", with: " \(folder.path)\(place)") }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/bash")
    process.arguments = ["-c", command]
    process.currentDirectoryURL = folder
    let programs = try HelperProcess.executable(named: "tandem").deletingLastPathComponent().path
    process.environment = ProcessInfo.processInfo.environment.merging([
      "HOME": folder.path, "TANDEM_CONTAINER_ROOT": folder.path, "TZ": "UTC",
      "PATH": "\(programs):\(ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin")",
    ]) { $1 }
    let said = Pipe()
    process.standardOutput = said
    process.standardError = said
    try process.run()
    var text = ""
    if isEndless {
      text = String(decoding: said.fileHandleForReading.availableData, as: UTF8.self)
      process.interrupt()
    }
    text += String(decoding: try said.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus == 0, "\(step.command): \(text)")
    let lines = text.replacing(folder.path, with: "").split(separator: "\n").map(String.init)
    #expect(step.isKept(by: lines), "\(step.command) said:\n\(text)")
  }
}

// What lies in the folder before the first command.

private func makeStore(_ types: any PersistentModel.Type..., at url: URL, _ objects: [any PersistentModel]) throws {
  try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
  let context = ModelContext(try makeContainer(for: types, at: url))
  for object in objects { context.insert(object) }
  try context.save()
}

private func makeFolders(_ paths: String..., in folder: URL) throws {
  for path in paths {
    try FileManager.default.createDirectory(at: folder.appending(path: path), withIntermediateDirectories: true)
  }
}

/// A diary that was exported to the folder from which the article makes it anew.
@Sendable private func makeDiary(_ folder: URL) throws {
  let diary = folder.appending(path: "phone/group.example/diary.store")
  try makeStore(Expense.self, at: diary, [Expense(shop: "Bakery", amount: 4)])
  try makeFolders("media/stick", "Dropbox/exchange", in: folder)
  let sync = Process()
  sync.executableURL = try HelperProcess.executable(named: "tandem")
  sync.arguments = [
    "sync", folder.appending(path: "phone").path, "--folder", folder.appending(path: "Dropbox/exchange").path,
  ]
  sync.standardOutput = FileHandle.nullDevice
  try sync.run()
  sync.waitUntilExit()
}

@Sendable private func makeBooks(_ folder: URL) throws {
  try makeFolders("backup", in: folder)
  let books = folder.appending(path: "data/group.org.example.books/Books.store")
  try makeStore(Expense.self, at: books, [Expense(shop: "Bakery", amount: 4)])
}

@Sendable private func makeReceipts(_ folder: URL) throws {
  let receipts = [(1, "Bakery", "4.5"), (2, "Grocery", "31.25"), (3, "Hardware", "75.5")].map { number, shop, amount in
    Receipt(number: number, shop: shop, amount: Decimal(string: amount) ?? 0)
  }
  try makeStore(Receipt.self, at: folder.appending(path: "books.store"), receipts)
}

@Sendable private func makeDevices(_ folder: URL) throws {
  try makeFolders("laptop", in: folder)
  let books = folder.appending(path: "phone/group.org.example.books/Books.store")
  try makeStore(Expense.self, at: books, [Expense(shop: "Bakery", amount: 4)])
}

@Sendable private func makeCompletionFolders(_ folder: URL) throws {
  try makeFolders(
    ".local/share/bash-completion/completions", ".zfunc", ".config/fish/completions", in: folder)
}

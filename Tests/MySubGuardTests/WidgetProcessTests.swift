import Foundation
import Tandem
import Testing

@testable import MySubGuard

/// The widget as a second process beside the main program.
@Suite struct WidgetProcessTests {
  private func commits(_ widget: RunningProgram) throws -> Int {
    try widget.output().split(separator: "\n").count { $0.hasPrefix("commit: ") }
  }

  @Test func `the widget waits for the store, shows every commit, and ends cleanly on SIGTERM`() throws {
    try withDevice { device in
      let picture = device.url.appending(path: "widget.svg")
      let widget = try device.startWidget("--follow", "--svg", picture.path, "--today", "2026-01-30", "--limit", "1")
      try widget.wait { try widget.trouble().contains("waiting") }
      _ = try device.run("add", "Fibre", "--amount", "39.99", "--frequency", "mensuel", "--next", "2026-01-31")
      try widget.wait { try widget.output().contains("tomorrow  Jan 31  Fibre  €39.99  Personal") }
      for amount in ["40.00", "41.00", "42.00"] {
        let before = try commits(widget)
        _ = try device.run("edit", "Fibre", "--amount", amount)
        try widget.wait { try commits(widget) > before }
        try widget.wait { try widget.output().contains("Fibre  €\(amount)") }
      }
      // The picture is drawn after the line is printed.
      try widget.wait { try String(contentsOf: picture, encoding: .utf8).contains("€42.00") }
      widget.send(SIGTERM)
      #expect(try widget.waitForEnd() == 0)
    }
  }

  /// A runner that was started by `nohup` ignores SIGHUP, and so do its programs.
  private static let signals = [SIGINT, SIGTERM, SIGHUP].filter { number in
    var action = sigaction()
    return sigaction(number, nil, &action) == 0 && action.__sigaction_handler.sa_handler == nil
  }

  /// A terminal that was closed ended it in the middle of what it wrote.
  @Test(arguments: signals)
  func `a widget that still waits for a store ends cleanly too`(signal: Int32) throws {
    try withDevice { device in
      let widget = try device.startWidget("--follow")
      try widget.wait { try widget.trouble().contains("waiting") }
      widget.send(signal)
      #expect(try widget.waitForEnd() == 0)
      #expect(try device.stores().isEmpty)
    }
  }

  /// The widget once stayed with the deleted file for ever, and showed nothing new.
  @Test func `a widget whose store is deleted follows the one that takes its place`() throws {
    try withDevice { device in
      let day = ["--amount", "9.99", "--frequency", "mensuel", "--next", "2026-01-31"]
      _ = try device.run(["add", "Old"] + day)
      let widget = try device.startWidget("--follow", "--today", "2026-01-30")
      try widget.wait { try widget.output().contains("Old") }
      try FileManager.default.removeItem(at: device.url.appending(path: SubscriptionBook.groupIdentifier))
      try widget.wait { try widget.trouble().contains("deleted or replaced") }
      _ = try device.run(["add", "New"] + day)
      try widget.wait { try widget.output().contains("New") }
      let before = try commits(widget)
      _ = try device.run("edit", "New", "--amount", "5")
      try widget.wait { try commits(widget) > before }
      widget.send(SIGTERM)
      #expect(try widget.waitForEnd() == 0)
    }
  }

  @Test func `a widget whose store a newer version has migrated ends with that sentence`() throws {
    try withDevice { device in
      _ = try device.run("add", "Fibre", "--amount", "9.99", "--frequency", "mensuel", "--next", "2026-01-31")
      let widget = try device.startWidget("--follow", "--today", "2026-01-30")
      try widget.wait { try widget.output().contains("Fibre") }
      let store = device.url.appending(path: try #require(try device.stores().first))
      let schema = Schema(versionedSchema: NewerBook.self)
      _ = try ModelContainer(for: schema, configurations: [ModelConfiguration(schema: schema, url: store)])
      #expect(try widget.waitForEnd() == 2)
      let trouble = try widget.trouble()
      #expect(trouble.hasSuffix("update the app\n"), "\(trouble)")
    }
  }

  @Test func `the widget only reads`() throws {
    try withDevice { device in
      _ = try device.run("import", Fixtures.devices.appending(path: "phone.csv").path)
      let store = try #require(try device.stores().first)
      let data = device.url.appending(path: store).appending(path: "data.mdb")
      // The first opening brings to the store what the import has left in the log.
      _ = try device.run("list")
      let before = try Data(contentsOf: data)
      let run = try ProgramRun("mysubguard-widget", "--device", device.url.path, "--limit", "3", in: device.url)
      #expect(run.code == 0)
      #expect(run.output.split(separator: "\n").count == 4)
      #expect(try Data(contentsOf: data) == before)
    }
  }
}

/// What the app may become.
private enum NewerBook: VersionedSchema {
  static let versionIdentifier = Schema.Version(9, 0, 0)
  static var models: [any PersistentModel.Type] { [Subscription.self] }

  @Model final class Subscription {
    var name = ""
    init() {}
  }
}

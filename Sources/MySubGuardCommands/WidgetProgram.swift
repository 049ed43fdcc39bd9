public import ArgumentParser
import Foundation
import LocalizedTexts
import MySubGuard

/// The widget: a process of its own that only reads, and draws anew the moment the main program commits.
public struct WidgetProgram: AsyncParsableCommand, Sendable {
  /// The name and the help.
  public static let configuration = CommandConfiguration(
    commandName: "mysubguard-widget",
    abstract: "Show the next charges, as text or as a picture; with --follow, anew after every commit.",
    discussion: """
      The widget never writes to the store. With --follow it waits for a store that does not exist yet, and ends \
      with code 0 on SIGINT, SIGTERM or SIGHUP.


      """ + Program.exitCodes, version: MySubGuardProgram.configuration.version)

  @Flag(help: "Stay, print what each commit changed, and show the charges anew.")
  var follow = false
  @Option(help: "How many charges to show as text.")
  var limit = 5
  @Option(help: ArgumentHelp("Also draw the widget into this file.", valueName: "file"), transform: Report.path)
  var svg: String?
  @Option(help: "The picture's size: small (170 × 170) or medium (364 × 170).")
  var size: WidgetPicture.Size = .medium
  @OptionGroup var today: TodayOptions
  @OptionGroup var device: DeviceOptions

  /// For the parser.
  public init() {}

  /// Parses the command line, runs and ends the process with a documented exit code.
  public static func start() -> Never { Program.start(Self.self) }

  /// Refuses a number of charges outside of 1 to 100.
  public func validate() throws {
    guard (1...100).contains(limit) else {
      throw ValidationError(Sentence(.limitOutside).text(in: .current))
    }
  }

  /// Shows the next charges once, or until the process is asked to end.
  public func run() async throws {
    guard follow else { return try show(device.book(.readOnly, today.day)) }
    try await Termination.endsCleanly { try await self.stay() }
  }

  /// A store that is deleted or replaced sends nothing any more: then the widget waits for the next one.
  private func stay() async throws {
    while true {
      let book = try await waitForBook()
      try await follow(book)
      if Task.isCancelled { return }
      Program.report("mysubguard-widget: \(AppLocale.current.text(.storeReplaced))")
    }
  }

  /// Listens before it shows, so that no commit falls between the two. Returns when the book's file is gone.
  private func follow(_ book: SubscriptionBook) async throws {
    let (commits, file) = (book.commits, book.file)
    let (events, event) = AsyncThrowingStream.makeStream(of: CommitSummary.self, throwing: (any Error).self)
    let listener = Task {
      do {
        for try await commit in commits { event.yield(commit) }
      } catch {
        event.finish(throwing: error)
      }
    }
    let watcher = Task {
      try await file.waitUntilGone()
      event.finish()
    }
    defer {
      listener.cancel()
      watcher.cancel()
    }
    try show(book)
    for try await commit in events {
      try Report.line(AppLocale.current.text(.commit, "\(commit)"))
      try show(book)
    }
  }

  /// A device that was never used has no store; the main program makes one.
  private func waitForBook() async throws -> SubscriptionBook {
    var isTold = false
    while true {
      do {
        return try device.book(.readOnly, today.day)
      } catch let error as SubscriptionError where error.code == .noStore {
        if !isTold { Program.report("mysubguard-widget: \(AppLocale.current.text(.waiting, error.message))") }
        isTold = true
        try await Task.sleep(for: .milliseconds(100))
      }
    }
  }

  private func show(_ book: SubscriptionBook) throws {
    let all = try book.subscriptions(sortedBy: .name)
    try Report.text(WidgetContent(of: all, today: try today.day, limit: limit).text)
    guard let svg else { return }
    try Report.picture(WidgetPicture(WidgetContent(of: all, today: try today.day), size: size).svg, into: svg)
  }
}

import LivePage

extension PageRoute {
  /// The same, whose errors that people can do something about become sentences of the page.
  var explainingErrors: PageRoute {
    PageRoute(name, kind) { question in
      do {
        return try answer(question)
      } catch let refusal as PageRefusal {
        throw refusal
      } catch {
        throw PageRefusal(TandemTool.sentence(of: error) ?? String(describing: error))
      }
    }
  }
}

public import ArgumentParser
public import MySubGuard

// Values whose raw names are written on a command line; their help lists the names.

extension SubscriptionList.Format: ExpressibleByArgument {}

extension SubscriptionBook.Order: ExpressibleByArgument {}

extension Language: ExpressibleByArgument {}

extension WidgetPicture.Size: ExpressibleByArgument {}

export const reportFormats = ["html", "md", "json", "svg", "plugin-eval"] as const;
